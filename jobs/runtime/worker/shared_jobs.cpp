// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/shared_jobs.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_COLD Job* SharedJobs::take_of(const void* counter) noexcept {
  return end_sample(common_.normal.pop_marked(kMostVisited, [counter](Job& job) {
    return static_cast<CountedJob&>(job).counter() == counter;
  }));
}

void SharedJobs::push_chain(Job& first, Job& last, bool is_counted) noexcept {
  const Job* none = nullptr;
  if (sample_.load(std::memory_order_relaxed) == none &&
      sample_.compare_exchange_strong(none, &last, shared_jobs_order::kBeginSample,
                                      std::memory_order_relaxed)) {
    sampled_at_ = os::now();
  }
  common_.normal.push_chain(first, last, is_counted);
}

void SharedJobs::push_preferred(Job& job, bool not_main, bool urgent) noexcept {
  if (urgent) add_urgent();
  Queues& queues = not_main ? not_main_ : common_;
  (urgent ? queues.urgent : queues.normal).push(job);
}

// `job` has left the common queue; null: it was empty.
Job* SharedJobs::end_sample(Job* job) noexcept {
  if (job == nullptr || job != sample_.load(std::memory_order_relaxed)) return job;
  const os::Nanoseconds wait = os::now() - sampled_at_;
  if (wait > longest_wait()) longest_wait_.store(wait, std::memory_order_relaxed);
  sample_.store(nullptr, shared_jobs_order::kEndSample);
  return job;
}

Job* SharedJobs::take_urgent(bool not_main) noexcept {
  Job* job = not_main ? not_main_.urgent.pop() : nullptr;
  if (job == nullptr) job = common_.urgent.pop();
  if (job != nullptr) remove_urgent();
  return job;
}

Job* SharedJobs::take_fairly() noexcept {
  const bool is_its_turn = not_main_first_.load(std::memory_order_relaxed);
  not_main_first_.store(!is_its_turn, std::memory_order_relaxed);
  if (is_its_turn) {
    if (Job* const job = not_main_.normal.pop()) return job;
    return take_common();
  }
  if (Job* const job = take_common()) return job;
  return not_main_.normal.pop();
}

}  // namespace jobs::inline JOBS_ABI::detail
