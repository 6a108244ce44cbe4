// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs: the jobs of a scheduler that lie in the deque of no worker. For each priority it has
// two FIFO queues: one for any worker, and one for each worker but the bound thread (not-main
// jobs). Shared owns it. Any thread may call it.
//
// The queue of normal jobs for any worker is the common one. The priorities above kLow are the
// upper ones, kLow and kBackground the lower ones. While all queues of upper jobs are empty, no
// worker looks at them: one word counts the queues that have jobs. So lower jobs that wait cost
// upper jobs nothing.
//
// The common queue measures how long its jobs wait. At most one of them is the sample at a time:
//   step 1  A pusher makes its job the sample, records the time, and pushes the job.
//   step 2  The thread that takes the job records its wait, and ends the sample [shared_jobs.1].
// So one thread at a time accesses the two times. The lock of the queue orders step 2 after step 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/priority.hpp"
#include "jobs/queue/injector.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/parking/background_limit.hpp"
#include "jobs/runtime/parking/idle.hpp"
#include "jobs/runtime/worker/counted_job.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace shared_jobs_order {
JOBS_ORDER(kEndSample, release);    // [shared_jobs.1] partner: kBeginSample
JOBS_ORDER(kBeginSample, acquire);  // [shared_jobs.1] partner: kEndSample
}  // namespace shared_jobs_order

// Returns the number of levels by which the priority is below kNormal; 0 for an upper one.
constexpr std::uint8_t levels_below_normal(Priority priority) noexcept {
  constexpr auto kNormal = static_cast<std::uint8_t>(Priority::kNormal);
  const auto level = static_cast<std::uint8_t>(priority);
  return level > kNormal ? static_cast<std::uint8_t>(level - kNormal) : std::uint8_t{0};
}

class SharedJobs {
 public:
  explicit SharedJobs(BackgroundBounds background = {}) noexcept;

  // `is_counted`: the job is a CountedJob with a counter, which take_of() may take.
  void push(Job& job, bool is_counted = false) noexcept { push_chain(job, job, is_counted); }
  // Appends the jobs linked by `next` from first to last. `is_counted`: as for push(), of the first
  // job.
  void push_chain(Job& first, Job& last, bool is_counted = false) noexcept;
  // Takes a normal job that reports to this counter. Returns null if there is none among the oldest
  // kMostVisited normal jobs.
  Job* take_of(const void* counter) noexcept;
  void push_with(Job& job, bool not_main, Priority priority) noexcept;
  // As push_with(), and wakes a worker that may run the job.
  void publish_with(Job& job, bool not_main, Priority priority, Idle& idle) noexcept {
    push_with(job, not_main, priority);
    idle.published_outside(not_main ? 1 : 0);
  }
  // As publish_with(), for a job of a lower priority that has a counter: take_awaited() may take
  // it.
  void publish_counted(CountedJob& job, bool not_main, Priority priority, Idle& idle) noexcept {
    Level& level = of(priority);
    (not_main ? level.not_main : level.common).push(job, true);
    idle.published_outside(not_main ? 1 : 0);
  }

  // Takes a normal job. Returns null if there is none. `not_main`: the caller may run not-main
  // jobs.
  Job* take(bool not_main) noexcept {
    if (!not_main || of(Priority::kNormal).not_main.looks_empty()) [[likely]]
      return has_normal() ? take_common() : nullptr;
    return take(Priority::kNormal, not_main);
  }
  // Takes a job of that priority. Common and not-main jobs take turns. Returns null if there is
  // none. `not_main`: as above.
  Job* take(Priority priority, bool not_main) noexcept;
  // Takes the oldest job of a lower priority that has a counter and for which matches(job) is true.
  // If more than kMostVisited jobs precede it, takes the oldest job. Returns null if there is none.
  // `not_main`: as above.
  template <class Matches>
  Job* take_awaited(Priority priority, bool not_main, Matches&& matches) noexcept {
    Level& level = of(priority);
    for (Injector<Job>* const queue : {&level.common, &level.not_main}) {
      if (queue == &level.not_main && !not_main) break;
      Job* job = queue->pop_marked(kMostVisited, matches);
      if (job == nullptr && queue->may_have_marked(kMostVisited, matches)) job = queue->pop();
      if (job != nullptr) return job;
    }
    return nullptr;
  }
  // Returns whether take_awaited() would find a job.
  template <class Matches>
  bool has_awaited(Priority priority, Matches&& matches) noexcept {
    return of(priority).common.may_have_marked(kMostVisited, matches) ||
           of(priority).not_main.may_have_marked(kMostVisited, matches);
  }
  // As take() of a background job, for a scheduler that limits them. If it returns a job, the
  // worker calls leave_background() before it looks for its next job.
  Job* take_background(bool not_main, Idle& idle) noexcept {
    if (!has(Priority::kBackground, not_main) || !background_limit_.try_enter()) return nullptr;
    Job* const job = take(Priority::kBackground, not_main);
    if (job != nullptr) return job;
    leave_background();
    offer_background(idle);
    return nullptr;
  }
  JOBS_ALWAYS_INLINE void leave_background() noexcept { background_limit_.leave(); }
  // Wakes a worker for a background job, also if the budget is spent (BackgroundLimit). A worker
  // that has left calls it, unless it has taken the next background job itself.
  JOBS_ALWAYS_INLINE void offer_background(Idle& idle) noexcept {
    if (has_queued(Priority::kBackground, true) && background_limit_.has_place())
      idle.published_outside();
  }
  const BackgroundLimit& background_limit() const noexcept { return background_limit_; }
  // The time at which a background job may begin, if one waits because the budget is spent;
  // otherwise kNever. A worker sleeps at most until then.
  os::Nanoseconds background_opens_at() const noexcept {
    return has_queued(Priority::kBackground, true) ? background_limit_.opens_at() : os::kNever;
  }
  // Returns whether background jobs that run should leave the rest of their work to later.
  bool is_background_spent() noexcept { return background_limit_.is_spent(); }

  // Counts an affine job, which travels in the inbox of its worker. The sender calls add_affine()
  // before it sends the job. The worker calls remove_affine() when it takes the job.
  void add_affine(Priority priority) noexcept {
    if (priority != Priority::kNormal) waiting(priority).fetch_add(1, std::memory_order_relaxed);
  }
  void remove_affine(Priority priority) noexcept {
    if (priority != Priority::kNormal) waiting(priority).fetch_sub(1, std::memory_order_relaxed);
  }
  // The number of critical jobs that wait, affine jobs included, or a greater number. A hint.
  const Atomic<std::uint32_t>& critical() const noexcept { return waiting_[0]; }
  // Returns whether a job of that priority waits, affine jobs included. Not for kNormal. A hint.
  bool waits(Priority priority) const noexcept {
    return waiting_[index(priority)].load(std::memory_order_relaxed) != 0;
  }

  // Returns whether a queue of an upper priority has jobs. A hint.
  bool has_upper() const noexcept { return filled_.load(std::memory_order_relaxed) != 0; }
  // Returns whether a lower job waits, affine jobs included. A hint.
  bool has_lower() const noexcept { return waits(Priority::kLow) || waits(Priority::kBackground); }
  // The results are hints, except to a thread that has executed a fence of the idle protocol.
  bool has_normal() const noexcept { return !of(Priority::kNormal).common.looks_empty(); }
  // Returns whether an upper job waits that any worker may take.
  bool has_common() const noexcept {
    return has_normal() || !of(Priority::kCritical).common.looks_empty() ||
           !of(Priority::kHigh).common.looks_empty();
  }
  // Returns whether an upper not-main job waits.
  bool has_not_main() const noexcept {
    return !of(Priority::kNormal).not_main.looks_empty() ||
           !of(Priority::kCritical).not_main.looks_empty() ||
           !of(Priority::kHigh).not_main.looks_empty();
  }
  // Returns whether a job of that priority waits that any worker may take; `not_main`: or a
  // not-main job. While the limit of background jobs is reached, or their budget spent, none waits.
  bool has(Priority priority, bool not_main) const noexcept;
  // Returns whether a lower job waits in a queue. `not_main`: as in has().
  bool has_lower(bool not_main) const noexcept {
    return has(Priority::kLow, not_main) || has(Priority::kBackground, not_main);
  }

  // The look of the idle protocol at the queues of all priorities, and at the deques.
  // `any_in_deques()` returns whether a deque has jobs. `not_main`: as in take().
  template <class AnyInDeques>
  Idle::Visible look(bool not_main, AnyInDeques&& any_in_deques) const noexcept {
    if (has_common() || any_in_deques()) return Idle::Visible::kJobs;
    bool any_not_main = has_not_main();
    if (has_lower()) [[unlikely]] {
      if (has_lower(false)) return Idle::Visible::kJobs;
      any_not_main |= has_lower(true);
    }
    if (!any_not_main) return Idle::Visible::kNothing;
    return not_main ? Idle::Visible::kJobs : Idle::Visible::kJobsOfOtherWorkers;
  }

  // The longest time from a push to the common queue to the start of the job, of all samples.
  os::Nanoseconds longest_wait() const noexcept {
    return longest_wait_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kMostVisited = 64;

  struct Level {
    // `filled`: as for the Injector.
    JOBS_COLD Level(Atomic<std::uint32_t>& filled) noexcept : common(filled), not_main(filled) {}
    Injector<Job> common;
    // For each worker but the bound thread.
    Injector<Job> not_main;
    // Whether take() takes a not-main job first. A hint.
    Atomic<bool> not_main_first{false};
  };

  static constexpr std::size_t index(Priority priority) noexcept {
    return static_cast<std::size_t>(priority);
  }
  // As has(), without regard to the limit and the budget of background jobs.
  bool has_queued(Priority priority, bool not_main) const noexcept {
    const Level& level = of(priority);
    return !level.common.looks_empty() || (not_main && !level.not_main.looks_empty());
  }
  Level& of(Priority priority) noexcept { return levels_[index(priority)]; }
  const Level& of(Priority priority) const noexcept { return levels_[index(priority)]; }
  Atomic<std::uint32_t>& waiting(Priority priority) noexcept { return waiting_[index(priority)]; }
  Job* take_common() noexcept { return end_sample(of(Priority::kNormal).common.pop()); }
  Job* end_sample(Job* job) noexcept;

  // The number of queues of upper priorities that have jobs.
  alignas(kDestructiveDistance) Atomic<std::uint32_t> filled_{0};
  // For each upper priority but kNormal, the number of jobs. For each lower priority, the number of
  // queues that have jobs, and of affine jobs.
  Atomic<std::uint32_t> waiting_[kPriorities]{};
  Level levels_[kPriorities];
  // Null: no job is the sample.
  Atomic<const Job*> sample_{nullptr};
  Plain<os::Nanoseconds> sampled_at_{0};
  Atomic<os::Nanoseconds> longest_wait_{0};
  BackgroundLimit background_limit_;
};

}  // namespace jobs::inline JOBS_ABI::detail
