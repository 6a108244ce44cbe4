// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// SpawnOptions selects the workers and the priority of a job.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/place.hpp"
#include "jobs/priority.hpp"

namespace jobs::inline JOBS_ABI {

/// Options of spawn().
struct SpawnOptions {
  /// Workers that may run the job; any worker if left out.
  ///
  /// Jobs for one worker arrive there in the order in which each thread sends them. They run before
  /// jobs of the same priority that other workers may take, and wake that worker only. A place that
  /// the scheduler does not have makes spawn() throw Error(kBadArgument).
  Place on = anywhere;
  /// Which of the waiting jobs begin before this one.
  ///
  /// Jobs for the same place with a priority other than kNormal begin in FIFO order. The priority
  /// goes before the place: a high job for any worker precedes a normal job for one worker. A value
  /// that is none of jobs::Priority makes spawn() throw Error(kBadArgument).
  Priority priority = Priority::kNormal;

  /// Compares two sets of options member by member.
  ///
  /// @returns true if they are equal
  friend constexpr bool operator==(const SpawnOptions&, const SpawnOptions&) = default;
};

}  // namespace jobs::inline JOBS_ABI
