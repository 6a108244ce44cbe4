// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// SpawnOptions selects the workers and the urgency of a job.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/place.hpp"

namespace jobs::inline JOBS_ABI {

/// Options of spawn().
struct SpawnOptions {
  /// Workers that may run the job; any worker if left out.
  ///
  /// Jobs for one worker arrive there in the order in which each thread sends them. They run before
  /// jobs that other workers may take, and wake that worker only. A place that the scheduler does
  /// not have makes spawn() throw Error(kBadArgument).
  Place on = anywhere;
  /// true: the job runs before all jobs that have not begun; false: in normal order.
  ///
  /// It also precedes jobs for one worker. Urgent jobs for the same place run in FIFO order.
  /// Nothing is interrupted: the first worker that ends a job or a chunk of a loop, or waits, takes
  /// the urgent job, after at most three ready fibers. Inside of a loop, the urgent job runs on
  /// another fiber, so it may wait for a mutex that the caller of the loop owns. A worker inside of
  /// a graph or a pipeline checks for urgent jobs every 64 nodes. Urgent jobs cannot starve the
  /// remaining ones: one job in 61 is not urgent.
  bool urgent = false;

  /// Compares two sets of options member by member.
  ///
  /// @returns true if they are equal
  friend constexpr bool operator==(const SpawnOptions&, const SpawnOptions&) = default;
};

}  // namespace jobs::inline JOBS_ABI
