// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/shared_jobs.hpp"

namespace jobs::inline JOBS_ABI::detail {

SharedJobs::SharedJobs(BackgroundBounds background) noexcept
    : levels_{{filled_},
              {filled_},
              {filled_},
              {waiting(Priority::kLow)},
              {waiting(Priority::kBackground)}},
      background_limit_(background) {}

JOBS_COLD Job* SharedJobs::take_of(const void* counter) noexcept {
  return end_sample(of(Priority::kNormal).common.pop_marked(kMostVisited, [counter](Job& job) {
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
  of(Priority::kNormal).common.push_chain(first, last, is_counted);
}

void SharedJobs::push_with(Job& job, bool not_main, Priority priority) noexcept {
  if (priority == Priority::kNormal && !not_main) return push(job);
  if (priority < Priority::kNormal) waiting(priority).fetch_add(1, std::memory_order_relaxed);
  Level& level = of(priority);
  (not_main ? level.not_main : level.common).push(job);
}

// `job` has left a queue; null: it was empty.
Job* SharedJobs::end_sample(Job* job) noexcept {
  if (job == nullptr || job != sample_.load(std::memory_order_relaxed)) return job;
  const os::Nanoseconds wait = os::now() - sampled_at_;
  if (wait > longest_wait()) longest_wait_.store(wait, std::memory_order_relaxed);
  sample_.store(nullptr, shared_jobs_order::kEndSample);
  return job;
}

Job* SharedJobs::take(Priority priority, bool not_main) noexcept {
  Level& level = of(priority);
  const bool is_its_turn = not_main && level.not_main_first.load(std::memory_order_relaxed);
  Job* job = is_its_turn ? level.not_main.pop() : nullptr;
  if (job == nullptr) job = end_sample(level.common.pop());
  if (job == nullptr && not_main) job = level.not_main.pop();
  if (job == nullptr) return nullptr;
  if (not_main) level.not_main_first.store(!is_its_turn, std::memory_order_relaxed);
  if (priority < Priority::kNormal) waiting(priority).fetch_sub(1, std::memory_order_relaxed);
  return job;
}

bool SharedJobs::has(Priority priority, bool not_main) const noexcept {
  return has_queued(priority, not_main) &&
         (priority != Priority::kBackground || background_limit_.has_room());
}

}  // namespace jobs::inline JOBS_ABI::detail
