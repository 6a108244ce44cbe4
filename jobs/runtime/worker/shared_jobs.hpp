// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs: the jobs of a scheduler that lie in the deque of no worker. It has four FIFO queues:
// urgent and normal jobs for any worker, urgent and normal jobs for each worker but the bound
// thread (not-main jobs). Shared owns it. Any thread may call it.
//
// The queue of normal jobs for any worker is the common one. While all queues are empty, no worker
// looks at them: one word counts the queues that have jobs.
//
// The common queue measures how long its jobs wait. At most one of them is the sample at a time:
//   step 1  A pusher makes its job the sample, records the time, and pushes the job.
//   step 2  The thread that takes the job records its wait, and ends the sample [shared_jobs.1].
// So one thread at a time accesses the two times. The lock of the queue orders step 2 after step 1.
#pragma once

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/queue/injector.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/worker/counted_job.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace shared_jobs_order {
JOBS_ORDER(kEndSample, release);    // [shared_jobs.1] partner: kBeginSample
JOBS_ORDER(kBeginSample, acquire);  // [shared_jobs.1] partner: kEndSample
}  // namespace shared_jobs_order

class SharedJobs {
 public:
  // `is_counted`: the job is a CountedJob with a counter, which take_of() may take.
  void push(Job& job, bool is_counted = false) noexcept { push_chain(job, job, is_counted); }
  // Appends the jobs linked by `next` from first to last. `is_counted`: as for push(), of the first
  // job.
  void push_chain(Job& first, Job& last, bool is_counted = false) noexcept;
  // Takes a normal job that reports to this counter. Returns null if there is none among the oldest
  // kMostVisited normal jobs.
  Job* take_of(const void* counter) noexcept;
  void push_preferred(Job& job, bool not_main, bool urgent) noexcept;

  // Takes a normal job. Returns null if there is none. `not_main`: the caller may run not-main
  // jobs.
  Job* take(bool not_main) noexcept {
    if (!not_main || not_main_.normal.looks_empty()) [[likely]]
      return has_normal() ? take_common() : nullptr;
    return take_fairly();
  }
  // Takes an urgent job. Returns null if there is none. `not_main`: as in take().
  Job* take_urgent(bool not_main) noexcept;

  // Counts an urgent affine job, which travels in the inbox of its worker. The sender calls
  // add_urgent() before it sends the job. The worker calls remove_urgent() when it takes the job.
  void add_urgent() noexcept { urgent_.fetch_add(1, std::memory_order_relaxed); }
  void remove_urgent() noexcept { urgent_.fetch_sub(1, std::memory_order_relaxed); }
  // The number of urgent jobs that wait, affine jobs included, or a greater number. A hint.
  const Atomic<std::uint32_t>& urgent() const noexcept { return urgent_; }

  // A hint.
  bool has_any() const noexcept { return filled_.load(std::memory_order_relaxed) != 0; }
  // The results are hints, except to a thread that has executed a fence of the idle protocol.
  bool has_normal() const noexcept { return !common_.normal.looks_empty(); }
  bool has_common() const noexcept { return !common_.looks_empty(); }
  bool has_not_main() const noexcept { return !not_main_.looks_empty(); }

  // The longest time from a push to the common queue to the start of the job, of all samples.
  os::Nanoseconds longest_wait() const noexcept {
    return longest_wait_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned kMostVisited = 64;

  struct Queues {
    explicit Queues(Atomic<std::uint32_t>& filled) noexcept : urgent(filled), normal(filled) {}
    JOBS_ALWAYS_INLINE bool looks_empty() const noexcept {
      return urgent.looks_empty() && normal.looks_empty();
    }
    Injector<Job> urgent;
    Injector<Job> normal;
  };

  Job* take_common() noexcept { return end_sample(common_.normal.pop()); }
  Job* end_sample(Job* job) noexcept;
  Job* take_fairly() noexcept;

  // The number of queues that have jobs.
  alignas(kDestructiveDistance) Atomic<std::uint32_t> filled_{0};
  Atomic<std::uint32_t> urgent_{0};
  // Whether take_fairly() takes a not-main job first. A hint.
  Atomic<bool> not_main_first_{false};
  Queues common_{filled_};
  // For each worker but the bound thread.
  Queues not_main_{filled_};
  // Null: no job is the sample.
  Atomic<const Job*> sample_{nullptr};
  Plain<os::Nanoseconds> sampled_at_{0};
  Atomic<os::Nanoseconds> longest_wait_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
