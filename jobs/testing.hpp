// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Simulation: your jobs on the whole scheduler, with its workers as virtual threads of one OS thread, a virtual clock, and everything
// that is open (who goes on, how long it takes, what fails) chosen by a seed. The same seed gives the same run, step by step, on
// every machine: a failure that comes once in a million runs comes every time. A program that uses it links jobs::testing in place of
// jobs::jobs; the rest of the library's headers are used as ever.
//
//   const auto result = jobs::testing::search({}, 10'000, [] {
//     jobs::Scheduler scheduler({.worker_count = 3});
//     scheduler.run([] { my_jobs(); });
//     jobs::testing::check(sum == 42, "the sum is wrong");
//   });
//   if (result) std::puts(result.text().c_str());  // what went wrong, and the seed that shows it again
//
// A step is an atomic operation of the library, a wait, a wake-up, a look at the clock: before each another virtual thread may go on.
// Time passes by steps, and jumps to the next deadline when all threads sleep. What counts as a finding:
//
//   - check() and fail(), an exception that leaves the body or a thread, a broken contract of the library (which aborts elsewhere);
//   - all threads sleep and nothing will wake them; more steps than Options::max_steps;
//   - a worker that sleeps although a job waits that nobody looks for; a sleeper whose wake-up was lost;
//   - a thread or memory of a stack that is left at the end.
//
// What the simulation must not see, as it would differ from run to run or stop all virtual threads at once: real threads, locks of the
// standard library that are held over a step (use jobs::Mutex, or std::mutex for sections that call nothing of jobs), the time of
// std::chrono clocks (use now()), initialisers of static variables that call jobs. Memory orders are not its subject either: all
// operations come in one order.
//
// After a finding the failed run is left as it stands, with what it owned: run further seeds in another process if that matters.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::testing {

// What may go wrong around the program. All of it is rare, and rarer with some seeds than with others.
struct Faults {
  bool no_stack = false;        // the system refuses a stack: Error(kNoStack)
  bool no_thread = false;       // and a thread: std::system_error
  bool changing_quota = false;  // each look at what the machine grants shows another number of CPUs
  bool misses = true;           // a theft finds nothing, a child that could be taken back counts as stolen
  bool spurious_wakes = true;
  bool late_wakes = true;  // a deadline is served late, a thread that was woken comes late
  bool stalls = true;      // a thread loses its CPU for a long time
};

struct Options {
  Faults faults;
  std::uint64_t max_steps = 20'000'000;
  // Each time that another thread goes on: a line to the standard error.
  bool trace = false;
};

struct Result {
  std::uint64_t seed = 0;
  std::uint64_t steps = 0;
  std::uint64_t digest = 0;  // of who went on at which step and time: equal for equal runs
  std::string finding;       // empty: nothing is wrong

  explicit operator bool() const noexcept { return !finding.empty(); }
  // "seed 17: ...", in several lines.
  std::string text() const;
};

// Calls body() as the first thread of a simulation, which ends with its last one. Not inside of another one. Throws std::bad_alloc.
JOBS_EXPORT Result simulate(const Options& options, std::uint64_t seed, const std::function<void()>& body);

struct Search {
  Result first;  // finding, else the last run
  std::uint64_t seeds = 0;
  std::uint64_t steps = 0;  // of all

  explicit operator bool() const noexcept { return static_cast<bool>(first); }
  std::string text() const;
};

// Simulates seeds from `first_seed` on, until `seeds` of them were run or one has a finding. JOBS_SIM_SEED in the environment: that
// seed alone, and JOBS_SIM_TRACE=1 with a trace.
JOBS_EXPORT Search search(const Options& options, std::uint64_t seeds, const std::function<void()>& body,
                          std::uint64_t first_seed = 1);

// --- inside of a simulation, on its threads -----------------------------------------------------------------------------

// An external thread: joined or detached before it goes, as std::thread.
using detail::Thread;
// From [0, n), as the seed will have it. pre: n > 0.
[[nodiscard]] JOBS_EXPORT std::uint32_t choose(std::uint32_t n);
// Computes, that is: lets others go on for so many steps, or until all of them sleep. A loop that waits for them without a wait of
// jobs calls it.
JOBS_EXPORT void pass(std::uint32_t steps);
// The virtual time.
[[nodiscard]] JOBS_EXPORT std::chrono::steady_clock::time_point now();
// Ends the simulation with a finding. From any of its threads.
[[noreturn]] JOBS_EXPORT void fail(const std::string& what);
inline void check(bool holds, const char* what) {
  if (!holds) fail(what);
}

}  // namespace jobs::inline JOBS_ABI::testing
