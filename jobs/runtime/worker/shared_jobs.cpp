// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/shared_jobs.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD Job* SharedJobs::take_of(const void* counter) noexcept {
  return common_.normal.pop_marked(kMostVisited, [counter](Job& job) {
    return static_cast<CountedJob&>(job).counter() == counter;
  });
}

void SharedJobs::push_preferred(Job& job, bool not_main, bool urgent) noexcept {
  preferred_.fetch_add(1, std::memory_order_relaxed);  // before another thread can take the job
  if (urgent) add_urgent();
  Queues& queues = not_main ? not_main_ : common_;
  (urgent ? queues.urgent : queues.normal).push(job);
}

Job* SharedJobs::take_preferred(Injector<Job>& queue) noexcept {
  Job* const job = queue.pop();
  if (job != nullptr) preferred_.fetch_sub(1, std::memory_order_relaxed);
  return job;
}

Job* SharedJobs::take_urgent(bool not_main) noexcept {
  Job* job = not_main ? take_preferred(not_main_.urgent) : nullptr;
  if (job == nullptr) job = take_preferred(common_.urgent);
  if (job != nullptr) remove_urgent();
  return job;
}

Job* SharedJobs::take_fairly() noexcept {
  const bool is_its_turn = not_main_first_.load(std::memory_order_relaxed);
  not_main_first_.store(!is_its_turn, std::memory_order_relaxed);
  if (is_its_turn) {
    if (Job* const job = take_preferred(not_main_.normal)) return job;
    return common_.normal.pop();
  }
  if (Job* const job = common_.normal.pop()) return job;
  return take_preferred(not_main_.normal);
}

}  // namespace jobs::inline JOBS_ABI::detail
