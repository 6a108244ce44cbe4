// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Events and mutexes of the C interface, for fibers and threads alike.
#pragma once

#include "jobs/c/status.h"

JOBS_C_BEGIN

/// A flag that fibers and threads can wait for.
typedef struct jobs_event jobs_event;

/// Creates an event that is not set.
///
/// @param is_automatic  true: each signal releases one waiter, or the next one; false: the event
/// stays
///   set until jobs_event_reset()
/// @param event  receives the event, for jobs_event_destroy(); NULL after an error
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT; JOBS_ERROR_NO_MEMORY
/// @complexity O(1), one allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_event_create(bool is_automatic, jobs_event** event) JOBS_C_NOEXCEPT;

/// Frees an event. The program aborts with one line if a fiber waits for it.
///
/// @param event  event; NULL: nothing happens
/// @complexity O(1)
/// @thread_safety one thread or fiber, after the last wait has returned
JOBS_C_API void jobs_event_destroy(jobs_event* event) JOBS_C_NOEXCEPT;

/// Sets the event and wakes its waiters: all of them, or one if the event is automatic.
///
/// @param event  event
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT
/// @complexity O(waiters that it wakes)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_event_signal(jobs_event* event) JOBS_C_NOEXCEPT;

/// Clears the event: later waits suspend.
///
/// @param event  event
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_event_reset(jobs_event* event) JOBS_C_NOEXCEPT;

/// Suspends the calling fiber until the event is set, or until a deadline.
///
/// @param event  event
/// @param timeout_ns  time limit in nanoseconds; 0 or less: a poll; JOBS_FOREVER: no limit
/// @returns JOBS_OK; JOBS_TIMEOUT; JOBS_ERROR_NO_STACK; JOBS_ERROR_CANCELLED; JOBS_ERROR_ARGUMENT
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_event_wait_for(jobs_event* event, int64_t timeout_ns) JOBS_C_NOEXCEPT;

/// A mutual exclusion lock for fibers and threads. It is not recursive.
typedef struct jobs_mutex jobs_mutex;

/// Creates an unlocked mutex.
///
/// @param mutex  receives the mutex, for jobs_mutex_destroy(); NULL after an error
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT; JOBS_ERROR_NO_MEMORY
/// @complexity O(1), one allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_mutex_create(jobs_mutex** mutex) JOBS_C_NOEXCEPT;

/// Frees an unlocked mutex.
///
/// @param mutex  mutex; NULL: nothing happens
/// @returns JOBS_OK; JOBS_BUSY if it is locked, and the mutex is unchanged
/// @complexity O(1)
/// @thread_safety one thread or fiber; no other one may use the mutex
JOBS_C_API jobs_status jobs_mutex_destroy(jobs_mutex* mutex) JOBS_C_NOEXCEPT;

/// Locks the mutex; suspends the calling fiber while another owner has it.
///
/// The program aborts with one line if the caller owns the mutex.
///
/// @param mutex  mutex
/// @returns JOBS_OK; JOBS_ERROR_NO_STACK; JOBS_ERROR_CANCELLED; JOBS_ERROR_ARGUMENT
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_mutex_lock(jobs_mutex* mutex) JOBS_C_NOEXCEPT;

/// Locks the mutex if it is free.
///
/// @param mutex  mutex
/// @returns JOBS_OK; JOBS_BUSY if it has an owner, which may be the caller; JOBS_ERROR_ARGUMENT
/// @complexity O(1), no allocation
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_mutex_try_lock(jobs_mutex* mutex) JOBS_C_NOEXCEPT;

/// Unlocks the mutex and wakes the oldest waiter.
///
/// The program aborts with one line if the caller does not own the mutex.
///
/// @param mutex  mutex
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT
/// @complexity O(1), no allocation
/// @thread_safety the owner only
JOBS_C_API jobs_status jobs_mutex_unlock(jobs_mutex* mutex) JOBS_C_NOEXCEPT;

JOBS_C_END
