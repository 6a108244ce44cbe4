// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Shows where the time of the workers goes: in which functions, and in which waits.
///
/// A part of the optional component jobs::trace; jobs.hpp does not include this header. A program
/// that links the component prints a profile of its whole run at its exit if the environment
/// variable JOBS_PROFILE is 1.
///
/// A profile adds times up and stores no events, so it may run for any length of time. Each worker
/// keeps figures of at most 512 functions, and of 512 sites of waits, of 3 KB each. The rest share
/// one entry without a name.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace detail {
struct ProfileRun;
}

/// Where the time of one worker went. The times add up to the life of the worker in the profile.
struct WorkerProfile {
  /// Such as "worker 3". Workers of this name of several schedulers share the figures.
  std::string name;
  /// Inside of jobs and Fibers. A child of fork_join that its parent runs counts as its parent.
  std::chrono::nanoseconds useful{};
  /// Between jobs and fibers: queues, thefts, switches.
  std::chrono::nanoseconds scheduler{};
  /// Awake without work.
  std::chrono::nanoseconds searching{};
  /// Asleep.
  std::chrono::nanoseconds parked{};
  /// A bound thread outside of jobs, from its first wait to its last one in the profile.
  std::chrono::nanoseconds own_code{};
  /// The part of the times in which the worker was awake without a CPU: the kernel ran other
  /// threads, or the worker was blocked in a call of the system.
  std::chrono::nanoseconds without_cpu{};

  /// Returns the sum of the five states.
  ///
  /// @returns sum, without `without_cpu`, which is a part of the states
  /// @complexity O(1)
  std::chrono::nanoseconds total() const noexcept {
    return useful + scheduler + searching + parked + own_code;
  }
};

/// The figures of a function, or of the site of a wait. Quantiles have an error of at most 6 %.
struct ProfilePlace {
  /// The job's function, or the site at which the Fiber was created.
  ///
  /// A node of a graph has its name, or else its function. A stage of a pipeline and a job of the C
  /// interface have the function of the program.
  std::string name;
  /// Address of the job's function; null for a name and for a site.
  const void* function = nullptr;
  /// Kind of the wait, such as "Mutex"; empty in the figures of functions.
  std::string wait;
  /// Object of the wait; null for a kind that usually lies in the frame of the waiter: an Event, a
  /// Latch, a Counter.
  const void* object = nullptr;
  /// Name of the object and the place of its name_object(); empty if it has no name. An Event, a
  /// Latch and a Counter have the name that they had at the begin of the wait.
  std::string object_name;
  /// Number of runs, or of waits, that have ended in the profile.
  std::uint64_t count = 0;
  /// Sum of their times. The time of a run excludes its waits.
  std::chrono::nanoseconds total{};
  /// The part of `total` in which the kernel had suspended the worker in a blocking call. A
  /// blocking call of less than about 20 us may be missing.
  std::chrono::nanoseconds blocked{};
  /// Page faults within the runs: each is the first use of a page, of the stack of a Fiber or of
  /// other memory. Those of runs of less than about 20 us may be missing.
  std::uint64_t page_faults = 0;
  /// Half of the times are not longer.
  std::chrono::nanoseconds p50{};
  /// 99 of 100 times are not longer.
  std::chrono::nanoseconds p99{};
};

/// Measures where the time of all workers of the process goes while it lives.
///
/// Several profiles may be active at a time; each has its own begin and end.
///
/// @snippet trace.cpp profile
///
/// @thread_safety one thread at a time calls the functions of one object
class Profile {
 public:
  /// Starts to measure.
  ///
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers * functions of earlier profiles)
  /// @thread_safety any thread or fiber, concurrently
  JOBS_EXPORT Profile();
  /// Stops, as stop() does.
  JOBS_EXPORT ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Stops to measure; further calls do nothing. Before it, the figures are those until now.
  ///
  /// @throws std::bad_alloc if there is no memory; the profile continues
  /// @complexity O(workers * functions)
  JOBS_EXPORT void stop();

  /// Returns where the time of each worker went.
  ///
  /// @returns workers, in the order of their names
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers * functions)
  [[nodiscard]] JOBS_EXPORT std::vector<WorkerProfile> workers() const;
  /// Returns the figures of the functions of jobs, and of Fibers.
  ///
  /// A run counts at its end, which may come shortly after the end of a wait for it.
  ///
  /// @returns places; the largest total comes first
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers * functions), and a search of the symbols of the program
  [[nodiscard]] JOBS_EXPORT std::vector<ProfilePlace> functions() const;
  /// Returns the figures of the waits of jobs and Fibers.
  ///
  /// A wait lasts until its fiber runs again. Waits of external threads have no figures.
  ///
  /// @returns places; the largest total comes first
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers * functions), and a search of the symbols of the program
  [[nodiscard]] JOBS_EXPORT std::vector<ProfilePlace> waits() const;
  /// Returns the figures as a human-readable text: all workers, and the top ten functions and
  /// waits.
  ///
  /// @returns lines, each with a line break
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers * functions), and a search of the symbols of the program
  [[nodiscard]] JOBS_EXPORT std::string text() const;

 private:
  const std::unique_ptr<detail::ProfileRun> run_;
};

}  // namespace jobs::inline JOBS_ABI::trace
