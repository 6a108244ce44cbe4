// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Schedulers of the C interface: their options, start, shutdown and workers.
#pragma once

#include <string.h>

#include "jobs/c/status.h"

JOBS_C_BEGIN

/// A set of worker threads with their fibers and queues.
///
/// Where a function takes a scheduler, NULL means the current scheduler: that of the calling job,
/// or the default scheduler. The default scheduler starts at its first use.
typedef struct jobs_scheduler jobs_scheduler;

/// Options of a scheduler. jobs_scheduler_options_init() fills them in.
///
/// Zero in a member means its default. `size` lets later versions add members at the end: the
/// library takes members that the program does not know as zero, and refuses members that it does
/// not know itself unless they are zero.
typedef struct jobs_scheduler_options {
  /// `sizeof(jobs_scheduler_options)`, as the program was compiled.
  size_t size;
  /// Number of workers; 0: JOBS_NUM_WORKERS, or else the number of CPUs of the process.
  uint32_t worker_count;
  /// Not 0: binds each worker to a CPU of its own.
  uint32_t pin_workers;
  /// Bytes of the stack of a job; 0: 256 KiB.
  size_t stack_size;
  /// Largest number of fibers; 0: no limit.
  size_t max_fibers;
  /// First argument of the hooks.
  void* user;
  /// Receives the text of a C++ exception that leaves a job without a counter. NULL: such an
  /// exception ends the program by std::terminate.
  void (*on_unhandled)(void* user, const char* text);
  /// Called by each worker thread before its first job. A thread starts when its worker is needed.
  void (*on_worker_start)(void* user, uint32_t worker);
  /// Called by each worker thread after its last job.
  void (*on_worker_stop)(void* user, uint32_t worker);
  /// Called before a fiber is suspended, for profilers. It must not wait.
  void (*on_suspend)(void* user, uint64_t fiber);
  /// Called before a fiber continues, for profilers. It must not wait.
  void (*on_resume)(void* user, uint64_t fiber);
  /// Buffer that receives the message of an error, ended by a zero byte; NULL: no message. A call
  /// that succeeds leaves it as it is, and so does one that refuses `size` or an unknown member.
  char* message;
  /// Size of the buffer in bytes.
  size_t message_size;
} jobs_scheduler_options;

/// Returns the default options.
///
/// @returns options of the size that the calling program knows, with all other members 0
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
static inline jobs_scheduler_options jobs_scheduler_options_init(void) {
  jobs_scheduler_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  return options;
}

/// Creates a scheduler and starts its workers.
///
/// @param options  options, copied by the call; NULL: the default options
/// @param scheduler  receives the scheduler, for jobs_scheduler_destroy(); NULL after an error
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT for an option out of range; JOBS_ERROR_ENVIRONMENT if
///   JOBS_NUM_WORKERS is malformed; JOBS_ERROR_SYSTEM if a thread cannot be started;
///   JOBS_ERROR_NO_MEMORY
/// @complexity O(workers)
/// @thread_safety any thread
JOBS_C_API jobs_status jobs_scheduler_create(const jobs_scheduler_options* options,
                                             jobs_scheduler** scheduler) JOBS_C_NOEXCEPT;

/// Shuts the scheduler down without a time limit, and frees it.
///
/// @param scheduler  scheduler of jobs_scheduler_create(); NULL: nothing happens
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT for the default scheduler; JOBS_ERROR_WRONG_THREAD if a
/// job
///   or a loop of this scheduler makes the call
/// @complexity the time of the remaining jobs
/// @thread_safety one thread; no other thread may use the scheduler during the call
JOBS_C_API jobs_status jobs_scheduler_destroy(jobs_scheduler* scheduler) JOBS_C_NOEXCEPT;

/// Returns the default scheduler, which need not have started.
///
/// @returns scheduler, never NULL; valid until the process ends
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_scheduler* jobs_scheduler_default(void) JOBS_C_NOEXCEPT;

/// Sets the options of the default scheduler, before its first use.
///
/// @param options  options, copied by the call
/// @returns JOBS_OK; JOBS_ERROR_STARTED if the default scheduler runs or has run;
///   JOBS_ERROR_ARGUMENT for NULL or a wrong size; JOBS_ERROR_NO_MEMORY
/// @complexity O(1), one allocation
/// @thread_safety any thread, concurrently
JOBS_C_API jobs_status jobs_scheduler_set_default_options(const jobs_scheduler_options* options)
    JOBS_C_NOEXCEPT;

/// Refuses work from outside, drains all jobs, and stops the workers, until a deadline.
///
/// After JOBS_TIMEOUT, the workers continue with the remaining jobs, and a later call completes the
/// shutdown. After JOBS_OK, functions that need a running scheduler return JOBS_ERROR_STOPPED.
///
/// @param scheduler  scheduler, not NULL; also the default scheduler
/// @param timeout_ns  time limit in nanoseconds; 0 or less: a poll; JOBS_FOREVER: no limit
/// @returns JOBS_OK; JOBS_TIMEOUT; JOBS_ERROR_ARGUMENT for NULL; JOBS_ERROR_WRONG_THREAD if a job
/// or
///   a loop of this scheduler makes the call; JOBS_ERROR_FORKED
/// @complexity the time of the remaining jobs
/// @thread_safety any external thread, concurrently
JOBS_C_API jobs_status jobs_scheduler_shutdown(jobs_scheduler* scheduler,
                                               int64_t timeout_ns) JOBS_C_NOEXCEPT;

/// Returns the number of workers.
///
/// @param scheduler  scheduler; NULL: the current one
/// @returns number of workers; 0 if the default scheduler cannot start
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API uint32_t jobs_worker_count(jobs_scheduler* scheduler) JOBS_C_NOEXCEPT;

/// Writes the figures of the scheduler as one JSON object; see jobs::to_json().
///
/// @param scheduler  scheduler; NULL: the current one
/// @param buffer  receives the text, ended by a zero byte; NULL with size 0: `length` alone is
/// wanted
/// @param size  size of the buffer in bytes; 2048 is enough for this version
/// @param length  receives the length of the whole text without the zero byte; NULL: not wanted
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT if the buffer is too small, and its contents are
/// unspecified;
///   JOBS_ERROR_NO_MEMORY
/// @complexity a few microseconds
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_scheduler_stats_json(jobs_scheduler* scheduler, char* buffer,
                                                 size_t size, size_t* length) JOBS_C_NOEXCEPT;

/// Returns the index of the worker that runs the caller.
///
/// @returns index from 0; -1 on a thread that is no worker
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API int32_t jobs_worker_index(void) JOBS_C_NOEXCEPT;

JOBS_C_END
