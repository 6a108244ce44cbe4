// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Names for Clang's thread-safety attributes. With -Wthread-safety the compiler checks the
// ownership of mutexes; for other compilers the macros are empty. The attributes follow functions
// and scopes, not fibers. A property that holds for a thread also holds for a pinned fiber.
#pragma once

#if defined(__clang__)
#define JOBS_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define JOBS_THREAD_SAFETY(attribute)
#endif

// On a class: its objects are locks.
#define JOBS_CAPABILITY(name) JOBS_THREAD_SAFETY(capability(name))
// On data: only the lock owner of `mutex` may access it.
#define JOBS_GUARDED_BY(mutex) JOBS_THREAD_SAFETY(guarded_by(mutex))
// On a member function: acquires the object; releases it; acquires it if the function returns
// `result`.
#define JOBS_ACQUIRE() JOBS_THREAD_SAFETY(acquire_capability())
#define JOBS_RELEASE() JOBS_THREAD_SAFETY(release_capability())
#define JOBS_TRY_ACQUIRE(result) JOBS_THREAD_SAFETY(try_acquire_capability(result))
// On a member function: the same operations for shared ownership.
#define JOBS_ACQUIRE_SHARED() JOBS_THREAD_SAFETY(acquire_shared_capability())
#define JOBS_RELEASE_SHARED() JOBS_THREAD_SAFETY(release_shared_capability())
#define JOBS_TRY_ACQUIRE_SHARED(result) JOBS_THREAD_SAFETY(try_acquire_shared_capability(result))
// On a function with locking that the analysis cannot follow. State the reason beside it.
#define JOBS_NO_THREAD_SAFETY_ANALYSIS JOBS_THREAD_SAFETY(no_thread_safety_analysis)
