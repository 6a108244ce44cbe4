// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Stats and StackUse are the figures of a Scheduler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Stack use of the Fibers of one creation site.
struct StackUse {
  /// Source file of the site.
  std::string file;
  /// Source line of the site.
  unsigned line = 0;
  /// Number of Fibers created there so far.
  std::uint64_t fibers = 0;
  /// Number of these Fibers that were measured and have ended.
  std::uint64_t measured = 0;
  /// Largest measured use in bytes, at most one page too large; 0: none was measured.
  std::size_t peak = 0;
  /// Bytes of stack of the next Fiber without a size of its own.
  std::size_t stack_size = 0;
};

/// Figures of a scheduler since its start: sums over all workers, or maxima (`max_...`).
///
/// Each figure is exact, but the figures are not taken at the same instant.
struct Stats {
  /// Jobs that the loops of workers have started, and jobs that external threads have run while
  /// they waited for a Counter. Excludes children that fork_join() ran in place.
  std::uint64_t jobs = 0;
  /// Jobs taken from the deque of another worker.
  std::uint64_t steals = 0;
  /// Jobs of `steals` taken from workers of other memory nodes. Counted only if several workers are
  /// bound (SchedulerOptions::pin_workers, pin_to_nodes).
  std::uint64_t remote_steals = 0;
  /// Deques that thieves opened from outside, because the owner computed and did not check.
  std::uint64_t forced_publications = 0;
  /// Switches from one fiber to another.
  std::uint64_t switches = 0;
  /// Times that a worker went to sleep.
  std::uint64_t parks = 0;
  /// Calls of maybe_yield() that found the time slice used up.
  std::uint64_t overruns = 0;
  /// Nanoseconds that workers spent searching or parked.
  std::uint64_t idle_ns = 0;
  /// Deadlines of waits and sleeps that have passed, except those of external threads.
  ///
  /// The worker itself serves them between two jobs, so its longest job bounds their lateness.
  std::uint64_t timeouts = 0;
  /// Deadlines of `timeouts` served more than 1 ms late.
  std::uint64_t late_timeouts = 0;
  /// Largest lateness in nanoseconds.
  std::uint64_t max_lateness_ns = 0;
  /// Longest observed time in nanoseconds from the push of a job to its start.
  ///
  /// Of the jobs of external threads, the figure contains the start of one job at a time, so it
  /// misses few long delays. Of the jobs of workers, it contains the time for which newer jobs have
  /// delayed the oldest job of a worker, or a longer time. It contains no critical jobs and no jobs
  /// for one worker.
  std::uint64_t max_start_delay_ns = 0;
  /// Calls of blocking() that went to a thread.
  std::uint64_t blocking_calls = 0;
  /// Threads for blocking() that exist at present.
  std::uint64_t blocking_threads = 0;
  /// Number of workers that are not retired.
  ///
  /// Workers are retired while the machine grants fewer CPUs than at the start.
  std::uint64_t active_workers = 0;
  /// Times that the system stopped the process or its container because the CPU quota was used up.
  ///
  /// The figure comes from cpu.stat. A worker reads it at most ten times a second, and only while
  /// there is work.
  std::uint64_t throttled_periods = 0;
  /// Nanoseconds of these stops.
  std::uint64_t throttled_ns = 0;
  /// Fibers that exist, idle fibers included.
  std::size_t fibers = 0;
  /// Fibers in the pools.
  std::size_t fibers_idle = 0;
  /// Fibers that wait, or that are ready to run again.
  std::size_t fibers_blocked = 0;
  /// Accepted jobs that no fiber runs yet: jobs in queues, and jobs with an unmet dependency.
  ///
  /// Fibers that have not started count, too. Children of fork_join() and parts of loops do not
  /// count. The figure is exact if each worker runs an accepted job or sleeps. Otherwise it is too
  /// small by at most one per worker, or too large by the jobs that external threads run.
  std::uint64_t waiting_jobs = 0;
  /// Fibers on the worker that has the most, without idle fibers.
  ///
  /// A fiber stays on the worker that has started it. If this figure is close to `fibers` less
  /// `fibers_idle`, one long job on that worker delays nearly all wake-ups.
  std::size_t max_worker_fibers = 0;
  /// Times that a worker with more than its share of the fibers left jobs to other workers.
  ///
  /// The share is 1.25 times the mean plus 16 fibers.
  std::uint64_t fiber_offers = 0;
  /// Bytes of memory that the workers hold for closures of spawned jobs and for memory_resource().
  ///
  /// It grows to the largest number of bytes in use at a time. It falls when unused memory returns
  /// to the system (Scheduler::trim()).
  std::size_t slab_bytes = 0;
  /// Closures and blocks that are too large for that memory and came from the heap.
  std::uint64_t heap_blocks = 0;

  /// Returns the fibers of the worker that has the most, divided by the mean of the active workers.
  ///
  /// @returns 1 if all workers have equally many; the number of workers if one has all fibers
  double fiber_imbalance() const noexcept {
    if (fibers <= fibers_idle) return 1;
    return static_cast<double>(max_worker_fibers) * static_cast<double>(active_workers) /
           static_cast<double>(fibers - fibers_idle);
  }
};

}  // namespace jobs::inline JOBS_ABI
