// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Priority decides which of the waiting jobs begins first.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Priority of a job.
///
/// A worker that looks for its next job takes one of the highest priority that it finds. Nothing is
/// interrupted, and there is no order between workers. A priority applies to the job itself: jobs
/// that it spawns or forks have priorities of their own, kNormal by default.
///
/// Nodes of a graph (TaskGraph::Node::priority()), fibers (FiberOptions::priority) and loops
/// (LoopPriority) have priorities, too.
///
/// No priority starves, however many jobs of other priorities wait. Of 61 critical, high and affine
/// jobs in a row, one is not critical, one is neither critical nor high, and one is for any worker.
/// While a worker always finds a job of a higher priority, it begins one low job about every 10 ms,
/// and one background job about every 100 ms, between two other jobs. A job behind n jobs of its
/// priority waits for n such turns.
///
/// @snippet scheduling.cpp priority
enum class Priority : std::uint8_t {
  /// Before all jobs that have not begun, also between two chunks of a loop.
  ///
  /// The first worker that ends a job or a chunk of a loop, or waits, takes the job, after at most
  /// three ready fibers. Inside of a loop, the job runs on another fiber, so it may wait for a
  /// mutex that the caller of the loop owns. A worker inside of a graph or a pipeline checks for
  /// critical jobs every 64 nodes.
  kCritical,
  /// Before all jobs that have not begun, except for critical ones. An automatic loop gives way,
  /// too, after each iteration of 1 ms or longer, once at a time: the job runs on another fiber.
  kHigh,
  /// The default: own jobs of a worker run newest first, jobs from other threads in FIFO order.
  kNormal,
  /// Only if the worker finds no job of a higher priority, also none of another worker.
  kLow,
  /// Only if the worker finds no job of a higher priority, also no low one.
  kBackground
};

}  // namespace jobs::inline JOBS_ABI
