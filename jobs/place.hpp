// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Place restricts the workers that may run a job or a graph node.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// The set of workers that may run a job.
///
/// A place applies to the job itself. Jobs that it spawns or forks have a place of their own,
/// jobs::anywhere by default.
///
/// @snippet scheduling.cpp place
struct Place {
  /// Kind of a place.
  enum class Kind : std::uint8_t {
    /// Any worker.
    kAnywhere,
    /// One worker.
    kWorker,
    /// The bound thread.
    kMainThread,
    /// Any worker except for the bound thread.
    kNotMainThread
  };

  /// Kind of the place.
  Kind kind = Kind::kAnywhere;
  /// Index of the worker, for Kind::kWorker only.
  unsigned index = 0;

  /// Compares two places member by member.
  ///
  /// @returns true if they are equal
  friend constexpr bool operator==(const Place&, const Place&) = default;
};

/// The first worker that takes the job.
inline constexpr Place anywhere;
/// The bound thread: worker 0 (SchedulerOptions::bind_caller, bound_threads).
///
/// It is for window systems and graphics interfaces that require one thread. The thread runs such
/// jobs while it waits for anything of this library, and in Scheduler::run_main_thread_jobs(). It
/// does not run them while it computes or blocks. If the scheduler has no worker for bound threads,
/// the call that names the place throws Error(kBadArgument). While this worker is vacant, its jobs
/// wait.
inline constexpr Place main_thread{Place::Kind::kMainThread};
/// The first worker that takes the job, except for bound threads.
///
/// A long job would keep a bound thread from its own work. If the scheduler has no worker for bound
/// threads, or no other worker, the place means jobs::anywhere.
inline constexpr Place not_main_thread{Place::Kind::kNotMainThread};
/// Returns the place of one worker.
///
/// The call that uses the place throws Error(kBadArgument) if the scheduler has no such worker.
///
/// @param index  index of the worker from 0, as of worker_index()
/// @returns place
[[nodiscard]] constexpr Place worker(unsigned index) noexcept {
  return {Place::Kind::kWorker, index};
}

}  // namespace jobs::inline JOBS_ABI
