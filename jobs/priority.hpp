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
/// Work that other work waits for is lifted, up to the priority of the waiter and at most to
/// kNormal:
///
/// - A wait for a Counter gives each queued lower job of the counter the turn of a job of the
///   waiter's priority that is queued when the wait begins, or later. So lifted jobs pass no job
///   that was queued before, and begin in the order of their priorities. Until a wait of a normal
///   job finds no outstanding job, lower jobs that are spawned with the counter begin as normal
///   ones. A wait of the same or a lower priority lifts nothing. A worker lifts the jobs of its own
///   scheduler, an external thread, which counts as normal, those of all schedulers. A select() and
///   a `co_await` lift in the same way when they have to wait. A job for another worker, and a job
///   for this worker behind a job of another counter, keep their priority.
/// - A critical or high Fiber that waits for a Mutex lets the fiber that owns the mutex run before
///   the ready fibers of its worker. If the owner is ready, this is its next turn. If the owner
///   waits on the worker of the waiter, it is the turn after its next wake-up. If it waits on
///   another worker, its priority stays. The lift is for one turn: an owner that waits again before
///   it unlocks wakes up by its own priority. It does not pass on to the owner of another mutex for
///   which this owner waits, nor to the next owner of this mutex.
///
/// These waits lift nothing: a poll; Counter::wait_until_at_most(), and jobs of spawn_after() that
/// wait for a Counter; a `co_await` of a mutex, because a task has no priority; and waits for any
/// other object, such as a Fiber, a JobHandle, a graph, an Event, a Semaphore or a SharedMutex.
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
  ///
  /// SchedulerOptions::max_background_workers limits the workers that run such jobs at a time.
  kBackground
};

}  // namespace jobs::inline JOBS_ABI
