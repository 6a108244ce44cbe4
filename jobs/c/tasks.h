// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Tasks for physics engines: an enqueue function and a finish function.
///
/// Engines with a C interface, such as Box2D 3, take two functions and a pointer from their host.
/// The functions of this file have the types of Box2D: `b2WorldDef::enqueueTask =
/// jobs_enqueue_task`, `finishTask = jobs_finish_task`, `userTaskContext = scheduler`, and
/// `workerCount = jobs_task_thread_count(scheduler)`.
#pragma once

#include "jobs/c/scheduler.h"

JOBS_C_BEGIN

/// A part of a task: the items in [begin, end).
///
/// Parts that run at the same time have different `thread` indices, if one thread or job steps the
/// engine and the tasks do not wait.
typedef void jobs_task_function(int32_t begin, int32_t end, uint32_t thread, void* task_context);

/// Returns the number of thread indices: one for each worker, and one for an external thread.
///
/// @param scheduler  scheduler; NULL: the current one
/// @returns number of workers plus 1; 0 if the default scheduler cannot start
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API uint32_t jobs_task_thread_count(jobs_scheduler* scheduler) JOBS_C_NOEXCEPT;

/// Starts a task with the items [0, count).
///
/// If the task cannot be started, the call runs it in place and returns NULL: no item is lost. A
/// C++ exception that leaves the task ends the program by std::terminate, because the engine has no
/// way to learn of it.
///
/// @param task  function of the task; NULL: nothing happens
/// @param count  number of items; 0 or less: nothing happens
/// @param min_range  smallest number of items of a part, except for the last part; less than 1
/// counts
///   as 1
/// @param task_context  last argument of the task
/// @param user_context  a jobs_scheduler*; NULL: the current scheduler
/// @returns handle for jobs_finish_task(); NULL if nothing remains to wait for
/// @complexity O(1), two allocations
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API void* jobs_enqueue_task(jobs_task_function* task, int32_t count, int32_t min_range,
                                   void* task_context, void* user_context) JOBS_C_NOEXCEPT;

/// Waits for a task and frees its handle.
///
/// The call ignores cancellation. If no stack is left for the wait, the program ends with one line.
///
/// @param user_task  handle of jobs_enqueue_task(), for the only time; NULL: nothing happens
/// @param user_context  the same pointer as for jobs_enqueue_task(); not used
/// @complexity the time of the task
/// @thread_safety any thread or fiber
JOBS_C_API void jobs_finish_task(void* user_task, void* user_context) JOBS_C_NOEXCEPT;

JOBS_C_END
