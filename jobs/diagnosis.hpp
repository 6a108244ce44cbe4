// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Says why a program is slow: findings with their place and remedy, and the speed-up to expect.
///
/// A part of the optional component jobs::trace; jobs.hpp does not include this header. A program
/// that links the component prints a diagnosis of its whole run at its exit if the environment
/// variable JOBS_PROFILE is 1. docs/why-slow.md explains the findings.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/profile.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace detail {
struct DiagnosisRun;
}

/// The speed-up to expect on some number of cores, compared with one core.
struct SpeedUp {
  /// A greedy scheduler reaches it, with the measured cost of scheduling on the longest path.
  double low = 1;
  /// No scheduler exceeds it.
  double high = 1;
};

/// Work and span of the roots of one name. A root is a job or a Fiber that no other job has
/// created, or a thread outside of the scheduler that creates jobs.
struct RootProfile {
  /// The job's function, the site at which the Fiber was created, or the name of the thread.
  std::string name;
  /// Number of roots of this name. The times are sums over them.
  std::uint64_t count = 0;
  /// The time of all their jobs, and of the jobs that these have created.
  std::chrono::nanoseconds work{};
  /// The longest path: no number of cores needs less time.
  std::chrono::nanoseconds span{};
  /// The longest path with the cost of scheduling on each edge.
  std::chrono::nanoseconds burdened_span{};

  /// Returns the work divided by the span.
  ///
  /// @returns the number of cores that the roots can use on average
  /// @complexity O(1)
  double parallelism() const noexcept;
  /// Returns the work divided by the burdened span.
  ///
  /// @returns parallelism that is left after the cost of scheduling
  /// @complexity O(1)
  double burdened_parallelism() const noexcept;
  /// Returns the speed-up to expect.
  ///
  /// @param cores  number of cores, at least 1
  /// @returns bounds
  /// @complexity O(1)
  JOBS_EXPORT SpeedUp expected(unsigned cores) const noexcept;
};

/// A cause of lost time.
struct Finding {
  /// One of the names in docs/why-slow.md, such as "grain too fine".
  std::string cause;
  /// The function, the creation site or the object at which the time is lost. The function of a job
  /// has its line, if the program has debug information and the machine has libdw.
  std::string place;
  /// Share of the time that is lost, from 0 to 1: the findings are in this order. Two come last:
  /// "memory node misses" has a share of the jobs, and other workers use the time of "too many
  /// threads".
  double share = 0;
  /// One sentence: what happens, with its figures, and what to do.
  std::string text;
};

/// Diagnoses the part of the run in which it lives.
///
/// It contains a Profile and a Recording. Findings, work and span come from the events of the
/// recording: of the last 65,536 events of each thread.
///
/// @snippet trace.cpp diagnosis
///
/// @thread_safety one thread at a time calls the functions of one object
class Diagnosis {
 public:
  /// Starts to record.
  ///
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers * functions of earlier profiles)
  /// @thread_safety any thread or fiber, concurrently
  JOBS_EXPORT Diagnosis();
  /// Stops, as stop() does.
  JOBS_EXPORT ~Diagnosis();
  Diagnosis(const Diagnosis&) = delete;
  Diagnosis& operator=(const Diagnosis&) = delete;

  /// Stops to record; further calls do nothing. Before it, the results are those until now.
  ///
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(events)
  JOBS_EXPORT void stop();

  /// Returns the profile of the same time.
  ///
  /// @returns profile, which lives as long as this object
  /// @complexity O(1)
  [[nodiscard]] JOBS_EXPORT const Profile& profile() const noexcept;
  /// Returns the causes of lost time.
  ///
  /// @returns findings; the largest share comes first. Empty if nothing is wrong.
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(events log threads)
  [[nodiscard]] JOBS_EXPORT std::vector<Finding> findings() const;
  /// Returns work and span.
  ///
  /// @returns roots; the most work comes first
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(events log threads)
  [[nodiscard]] JOBS_EXPORT std::vector<RootProfile> roots() const;
  /// Returns roots and findings as a human-readable text.
  ///
  /// @returns lines, each with a line break
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(events log threads)
  [[nodiscard]] JOBS_EXPORT std::string text() const;

 private:
  const std::unique_ptr<detail::DiagnosisRun> run_;
};

inline double RootProfile::parallelism() const noexcept {
  return span.count() > 0 ? static_cast<double>(work.count()) / static_cast<double>(span.count())
                          : 1;
}

inline double RootProfile::burdened_parallelism() const noexcept {
  return burdened_span.count() > 0
             ? static_cast<double>(work.count()) / static_cast<double>(burdened_span.count())
             : 1;
}

}  // namespace jobs::inline JOBS_ABI::trace
