// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Counters of the C interface: waits for groups of jobs.
#pragma once

#include "jobs/c/status.h"

JOBS_C_BEGIN

/// A number of outstanding jobs that fibers and threads can wait for.
///
/// jobs_spawn() with a counter adds one job and reports its end. A counter that has reached zero
/// can be used again.
typedef struct jobs_counter jobs_counter;

/// Creates a counter.
///
/// @param count  number of outstanding jobs, at most 2^60
/// @param counter  receives the counter, for jobs_counter_destroy(); NULL after an error
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT; JOBS_ERROR_NO_MEMORY
/// @complexity O(1), one allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_counter_create(size_t count, jobs_counter** counter) JOBS_C_NOEXCEPT;

/// Frees a counter without outstanding jobs.
///
/// @param counter  counter; NULL: nothing happens
/// @returns JOBS_OK; JOBS_BUSY if jobs are outstanding, and the counter is unchanged
/// @complexity O(1)
/// @thread_safety one thread or fiber, after the last wait has returned
JOBS_C_API jobs_status jobs_counter_destroy(jobs_counter* counter) JOBS_C_NOEXCEPT;

/// Announces jobs that report their ends by jobs_counter_done().
///
/// The program aborts with one line if the count exceeds 2^60, or if it was zero while a fiber
/// waits.
///
/// @param counter  counter
/// @param count  number of jobs, at most 2^60
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT
/// @complexity O(1), one atomic addition
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_counter_add(jobs_counter* counter, size_t count) JOBS_C_NOEXCEPT;

/// Reports the end of one job that jobs_counter_add() has announced.
///
/// The last call wakes all waiters. The program aborts with one line if no job is outstanding.
///
/// @param counter  counter
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT
/// @complexity O(1), one atomic subtraction; the last call takes O(waiters)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_counter_done(jobs_counter* counter) JOBS_C_NOEXCEPT;

/// Suspends the calling fiber until no job is outstanding.
///
/// An external thread is parked instead. It first runs those jobs of this counter that it has
/// spawned on the default scheduler and that no worker has taken.
///
/// @param counter  counter
/// @returns JOBS_OK; JOBS_ERROR_CALLBACK if a C++ exception has left a job of this counter, and no
///   job is outstanding; JOBS_ERROR_NO_STACK or JOBS_ERROR_CANCELLED if the wait has failed, and
///   jobs may be outstanding; JOBS_ERROR_ARGUMENT
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_counter_wait(jobs_counter* counter) JOBS_C_NOEXCEPT;

/// Waits as jobs_counter_wait() does, until a deadline, and runs no job.
///
/// @param counter  counter
/// @param timeout_ns  time limit in nanoseconds; 0 or less: a poll; JOBS_FOREVER: no limit
/// @returns as jobs_counter_wait(); JOBS_TIMEOUT if the deadline passed first
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_counter_wait_for(jobs_counter* counter,
                                             int64_t timeout_ns) JOBS_C_NOEXCEPT;

JOBS_C_END
