// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Simulation of a program on virtual threads; needs jobs::testing.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/base/thread.hpp"

/// Simulation: the whole scheduler on virtual threads, steered by a seed.
///
/// A simulation runs the jobs of a program on the whole scheduler. The workers are virtual threads
/// of one OS thread, and the clock is virtual. A seed chooses everything that is undetermined: the
/// thread that continues, the duration of a step, the calls that fail. The same seed gives the same
/// run, step by step, on every machine: a failure with a chance of one in a million becomes
/// reproducible. A program that uses it links jobs::testing in place of jobs::jobs; the other
/// headers of the library are used unchanged.
///
/// @snippet simulation.cpp simulation
///
/// A step is an atomic operation of the library, a wait, a wake-up, or a clock reading. Before each
/// step another virtual thread may continue. Time advances by steps; it jumps to the next deadline
/// when all threads sleep. A finding is one of these:
///
/// - check() fails or fail() is called; an exception leaves the body or a thread; a contract of the
///   library is violated, which aborts outside of a simulation;
/// - all threads sleep and nothing will wake them, or the run takes more steps than
///   Options::max_steps;
/// - a worker sleeps although a job waits for which no worker searches, or the wake-up of a
///   sleeping thread was lost;
/// - a thread, or memory of a stack, remains at the end.
///
/// Some things must not occur inside of a simulation, because they would differ from run to run or
/// stop all virtual threads at once:
///
/// - real threads;
/// - locks of the standard library that are held over a step: use Mutex, or std::mutex for sections
///   that call no function of this library;
/// - the time of std::chrono clocks: use now();
/// - initialisers of static variables that call this library.
///
/// Memory orders are outside of its scope: all operations take effect in one order.
///
/// After a finding the state of the failed run is leaked on purpose: other virtual threads may
/// still hold pointers into it. Run further seeds in another process if the memory matters.
namespace jobs::inline JOBS_ABI::testing {

/// Faults of the environment that a simulation injects.
///
/// Each fault is rare, and its frequency varies from seed to seed.
struct Faults {
  /// The system refuses memory for a stack: Error(kNoStack).
  bool no_stack = false;
  /// The system refuses a thread: std::system_error.
  bool no_thread = false;
  /// Each check of the machine finds another CPU quota and another affinity mask.
  bool changing_quota = false;
  /// A steal finds nothing; a child that could be taken back counts as stolen.
  bool misses = true;
  /// A parked thread wakes without a reason.
  bool spurious_wakes = true;
  /// A deadline is served late, or a woken thread continues late.
  bool late_wakes = true;
  /// A thread loses its CPU for a long time.
  bool stalls = true;
};

/// Options of a simulation.
struct Options {
  /// Faults to inject.
  Faults faults;
  /// Largest number of steps; more steps are a finding.
  std::uint64_t max_steps = 20'000'000;
  /// Writes a line to the standard error at each switch to another thread.
  bool trace = false;
};

/// Result of one simulation.
struct Result {
  /// Seed of the run.
  std::uint64_t seed = 0;
  /// Number of steps.
  std::uint64_t steps = 0;
  /// Hash of the thread, step and time of each switch; equal for equal runs.
  std::uint64_t digest = 0;
  /// Description of the finding; empty if there is none.
  std::string finding;

  /// Tells whether there is a finding.
  ///
  /// @returns true if something is wrong
  explicit operator bool() const noexcept { return !finding.empty(); }
  /// Returns the finding in several lines.
  ///
  /// The text begins with the seed, for example "seed 17: ".
  ///
  /// @returns human-readable text
  std::string text() const;
};

/// Calls body() as the first thread of a simulation.
///
/// The simulation ends with its last thread. Simulations do not nest.
///
/// @param options  faults and limits
/// @param seed  determines the run
/// @param body  program to simulate
/// @returns result of the run
/// @throws std::bad_alloc if there is no memory
/// @thread_safety one simulation at a time
JOBS_EXPORT Result simulate(const Options& options, std::uint64_t seed,
                            const std::function<void()>& body);

/// Result of a search over seeds.
struct Search {
  /// The first run with a finding; otherwise the last run.
  Result first;
  /// Number of seeds that were run.
  std::uint64_t seeds = 0;
  /// Number of steps of all runs.
  std::uint64_t steps = 0;

  /// Tells whether a run had a finding.
  ///
  /// @returns true if something is wrong
  explicit operator bool() const noexcept { return static_cast<bool>(first); }
  /// Returns the finding and the figures of the search in several lines.
  ///
  /// @returns human-readable text
  std::string text() const;
};

/// Simulates consecutive seeds until one has a finding.
///
/// The environment variable JOBS_SIM_SEED selects one seed alone; JOBS_SIM_TRACE=1 then adds a
/// trace.
///
/// @param options  faults and limits
/// @param seeds  largest number of runs
/// @param body  program to simulate
/// @param first_seed  seed of the first run
/// @returns result of the search
/// @throws std::bad_alloc if there is no memory
/// @thread_safety one simulation at a time
JOBS_EXPORT Search search(const Options& options, std::uint64_t seeds,
                          const std::function<void()>& body, std::uint64_t first_seed = 1);

// --- inside of a simulation, on its threads -----------------------------------------------------

/// External thread of a simulation, for code that runs inside of it.
///
/// It must be joined or detached before its destruction, like std::thread.
using detail::Thread;
/// Returns a number that the seed determines.
///
/// @param n  more than 0
/// @returns number from [0, n)
/// @thread_safety threads of the simulation
[[nodiscard]] JOBS_EXPORT std::uint32_t choose(std::uint32_t n);
/// Simulates computation: lets other threads continue.
///
/// A loop that waits for other threads without a wait of this library must call it.
///
/// @param steps  number of steps to give up; fewer if all other threads sleep
/// @thread_safety threads of the simulation
JOBS_EXPORT void pass(std::uint32_t steps);
/// Returns the virtual time.
///
/// @returns time since the start of the virtual clock
/// @thread_safety threads of the simulation
[[nodiscard]] JOBS_EXPORT std::chrono::steady_clock::time_point now();
/// Ends the simulation with a finding.
///
/// @param what  description of the finding
/// @thread_safety threads of the simulation
[[noreturn]] JOBS_EXPORT void fail(const std::string& what);
/// Ends the simulation with a finding unless a condition holds.
///
/// @param holds  condition
/// @param what  description of the finding
/// @thread_safety threads of the simulation
inline void check(bool holds, const char* what) {
  if (!holds) fail(what);
}

}  // namespace jobs::inline JOBS_ABI::testing
