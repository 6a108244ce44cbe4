// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// held_mutexes: in builds with JOBS_CHECK_MUTEXES, reports a fiber that is suspended while it owns
// a mutex of the system (std::mutex and its relatives, pthread_mutex_t). The report goes to the
// standard error. SwitchHooks calls it, on the thread of the fiber. In other builds it is empty.
//
// Why: for the system, the owner of the mutex is the thread. If the next fiber of this worker locks
// it, the worker blocks for ever; if the mutex is recursive, the fiber enters the critical section.
//
// How: calls of the program and of its libraries reach the functions of this file before those of
// the system. This does not work in a program that is linked statically as a whole. Shared locks
// (std::shared_mutex) are not checked.
#pragma once

#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail::held_mutexes {

#if defined(JOBS_CHECK_MUTEXES)

inline constexpr bool kChecked = true;

// Reports each mutex that the fiber owns, with the back-trace of the wait. Reports each call site
// once. pre: the fiber runs on the calling thread, and is about to be suspended.
void report(const FiberCore& fiber);

#else

inline constexpr bool kChecked = false;
inline void report(const FiberCore&) noexcept {}

#endif

}  // namespace jobs::inline JOBS_ABI::detail::held_mutexes
