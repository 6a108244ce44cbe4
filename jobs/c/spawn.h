// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Jobs of the C interface.
#pragma once

#include "jobs/c/counter.h"
#include "jobs/c/scheduler.h"

JOBS_C_BEGIN

/// Function of a job.
///
/// It may call every function of the C interface and wait. It must neither leave by longjmp() nor
/// end its thread.
typedef void (*jobs_function)(void* data);

/// Which of the waiting jobs begin first; see jobs::Priority. The default is zero.
typedef enum jobs_priority {
  /// After all jobs of other priorities.
  JOBS_PRIORITY_BACKGROUND = -2,
  /// After normal jobs.
  JOBS_PRIORITY_LOW = -1,
  /// The default.
  JOBS_PRIORITY_NORMAL = 0,
  /// Before normal jobs.
  JOBS_PRIORITY_HIGH = 1,
  /// Before all jobs that have not begun.
  JOBS_PRIORITY_CRITICAL = 2
} jobs_priority;

/// Workers that may run a job.
typedef enum jobs_place {
  /// The first worker that takes the job.
  JOBS_PLACE_ANYWHERE = 0,
  /// The worker with the index jobs_spawn_options::worker.
  JOBS_PLACE_WORKER = 1
} jobs_place;

/// Options of jobs_spawn(). jobs_spawn_options_init() fills them in.
///
/// Zero in a member means its default. `size` has the meaning of jobs_scheduler_options::size.
typedef struct jobs_spawn_options {
  /// `sizeof(jobs_spawn_options)`, as the program was compiled.
  size_t size;
  /// Counter that tracks the job; NULL: none. It must live until its wait has returned.
  jobs_counter* counter;
  /// Name in reports and debuggers, copied by the call; NULL: none. A job with a name runs on a
  /// fiber of its own, so `priority` and `place` must be 0.
  const char* name;
  /// A value of jobs_priority.
  int32_t priority;
  /// A value of jobs_place.
  int32_t place;
  /// Index of the worker, for JOBS_PLACE_WORKER.
  uint32_t worker;
  /// Must be 0.
  uint32_t reserved;
} jobs_spawn_options;

/// Returns the default options.
///
/// @returns options of the size that the calling program knows, with all other members 0
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
static inline jobs_spawn_options jobs_spawn_options_init(void) {
  jobs_spawn_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  return options;
}

/// Starts a job that calls function(data) once.
///
/// The call does not wait. All effects of the job are visible after the wait for its counter.
/// Without a counter the job is detached: the shutdown of its scheduler waits for it, and a C++
/// exception of it goes to jobs_scheduler_options::on_unhandled.
///
/// @param scheduler  scheduler; NULL: the current one
/// @param function  function of the job
/// @param data  its argument; the object behind it lives until the job has ended
/// @param options  options; NULL: the default options
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT for a null function or an option out of range;
///   JOBS_ERROR_STOPPED; JOBS_ERROR_FORKED; JOBS_ERROR_NO_MEMORY. After an error nothing was
///   spawned, and the counter is unchanged.
/// @complexity O(1); a worker of the scheduler allocates nothing in the steady state
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_spawn(jobs_scheduler* scheduler, jobs_function function, void* data,
                                  const jobs_spawn_options* options) JOBS_C_NOEXCEPT;

/// Runs function(data) as a job and waits for it.
///
/// A worker of the scheduler calls the function in place.
///
/// @param scheduler  scheduler; NULL: the current one
/// @param function  function of the job
/// @param data  its argument
/// @returns JOBS_OK; JOBS_ERROR_CALLBACK if a C++ exception has left the function;
///   JOBS_ERROR_ARGUMENT; JOBS_ERROR_STOPPED; JOBS_ERROR_FORKED; JOBS_ERROR_NO_STACK
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_run(jobs_scheduler* scheduler, jobs_function function,
                                void* data) JOBS_C_NOEXCEPT;

/// Lets other ready fibers of this worker run. On another thread it yields to the system.
///
/// @returns JOBS_OK; JOBS_ERROR_NO_STACK; JOBS_ERROR_CANCELLED
/// @complexity one switch per ready fiber that runs before the caller
/// @thread_safety any thread or fiber
JOBS_C_API jobs_status jobs_yield(void) JOBS_C_NOEXCEPT;

JOBS_C_END
