// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Names for Clang's thread-safety attributes: with -Wthread-safety the compiler checks who holds which mutex. Other compilers
// see nothing. They follow functions and scopes, not fibers: what they prove for a thread holds for a pinned fiber as well.
#pragma once

#if defined(__clang__)
#define JOBS_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define JOBS_THREAD_SAFETY(attribute)
#endif

// On a class: its objects can be held.
#define JOBS_CAPABILITY(name) JOBS_THREAD_SAFETY(capability(name))
// On data: only for those who hold `mutex`.
#define JOBS_GUARDED_BY(mutex) JOBS_THREAD_SAFETY(guarded_by(mutex))
// On a member function: takes the object; releases it; takes it if it returns `result`.
#define JOBS_ACQUIRE() JOBS_THREAD_SAFETY(acquire_capability())
#define JOBS_RELEASE() JOBS_THREAD_SAFETY(release_capability())
#define JOBS_TRY_ACQUIRE(result) JOBS_THREAD_SAFETY(try_acquire_capability(result))
// The same, together with others that share it.
#define JOBS_ACQUIRE_SHARED() JOBS_THREAD_SAFETY(acquire_shared_capability())
#define JOBS_RELEASE_SHARED() JOBS_THREAD_SAFETY(release_shared_capability())
#define JOBS_TRY_ACQUIRE_SHARED(result) JOBS_THREAD_SAFETY(try_acquire_shared_capability(result))
// On a function whose locking the analysis cannot follow; say why beside it.
#define JOBS_NO_THREAD_SAFETY_ANALYSIS JOBS_THREAD_SAFETY(no_thread_safety_analysis)
