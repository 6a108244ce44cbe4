// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/shared_jobs.hpp"

namespace jobs::inline JOBS_ABI::detail {

void SharedJobs::push_special(Job& job, bool off_main, bool urgent) noexcept {
  special_.fetch_add(1, std::memory_order_relaxed);  // before another thread can take the job
  Queues& queues = off_main ? off_main_ : for_all_;
  (urgent ? queues.urgent : queues.normal).push(job);
}

Job* SharedJobs::take_special(Injector<Job>& queue) noexcept {
  Job* const job = queue.pop();
  if (job != nullptr) special_.fetch_sub(1, std::memory_order_relaxed);
  return job;
}

Job* SharedJobs::take_urgent(bool off_main) noexcept {
  if (off_main) {
    if (Job* const job = take_special(off_main_.urgent)) return job;
  }
  return take_special(for_all_.urgent);
}

Job* SharedJobs::take_in_turn() noexcept {
  const bool is_its_turn = off_main_first_.load(std::memory_order_relaxed);
  off_main_first_.store(!is_its_turn, std::memory_order_relaxed);
  if (is_its_turn) {
    if (Job* const job = take_special(off_main_.normal)) return job;
    return for_all_.normal.pop();
  }
  if (Job* const job = for_all_.normal.pop()) return job;
  return take_special(off_main_.normal);
}

}  // namespace jobs::inline JOBS_ABI::detail
