// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs: the jobs of a scheduler that lie in the deque of no worker. It has four FIFO queues:
// urgent and normal jobs for any worker, urgent and normal jobs for each worker but the bound
// thread (not-main jobs). Shared owns it. Any thread may call it.
//
// The queue of normal jobs for any worker is the common one. Jobs of the other three queues are
// preferred. Invariant: `preferred_` is no less than the number of preferred jobs. While it is
// zero, no worker looks at their queues.
#pragma once

#include <cstdint>

#include "jobs/queue/injector.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/worker/counted_job.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SharedJobs {
 public:
  // `is_counted`: the job is a CountedJob with a counter, which take_of() may take.
  void push(Job& job, bool is_counted) noexcept { common_.normal.push(job, is_counted); }
  // Takes a normal job that reports to this counter. Returns null if there is none among the oldest
  // kMostVisited normal jobs.
  Job* take_of(const void* counter) noexcept;
  void push_preferred(Job& job, bool not_main, bool urgent) noexcept;

  // Takes a normal job. Returns null if there is none. `not_main`: the caller may run not-main
  // jobs.
  Job* take(bool not_main) noexcept {
    if (!not_main || not_main_.normal.looks_empty()) [[likely]]
      return common_.normal.pop();
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

  // The results are hints, except to a thread that has executed a fence of the idle protocol.
  bool has_preferred() const noexcept { return preferred_.load(std::memory_order_relaxed) != 0; }
  bool has_normal() const noexcept { return !common_.normal.looks_empty(); }
  bool has_common() const noexcept { return !common_.looks_empty(); }
  bool has_not_main() const noexcept { return !not_main_.looks_empty(); }

 private:
  static constexpr unsigned kMostVisited = 64;

  struct Queues {
    JOBS_ALWAYS_INLINE bool looks_empty() const noexcept {
      return urgent.looks_empty() && normal.looks_empty();
    }
    Injector<Job> urgent;
    Injector<Job> normal;
  };

  Job* take_fairly() noexcept;
  Job* take_preferred(Injector<Job>& queue) noexcept;

  Queues common_;
  // For each worker but the bound thread.
  Queues not_main_;
  // Whether take_fairly() takes a not-main job first. A hint.
  Atomic<bool> not_main_first_{false};
  // The number of preferred jobs, or a greater one. Relaxed: the locks of the queues order it.
  alignas(kDestructiveDistance) Atomic<std::uint32_t> preferred_{0};
  Atomic<std::uint32_t> urgent_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
