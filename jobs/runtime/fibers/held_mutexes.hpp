// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// For builds with JOBS_CHECK_MUTEXES: a fiber that is left while it holds a mutex of the system (std::mutex and its relatives,
// pthread_mutex_t) is named on the standard error. To the system the mutex belongs to the thread: the next fiber of this worker that
// wants it stops the worker for ever, or walks in if it is a recursive one. In other builds all of this is empty. For SwitchHooks.
//
// The calls of the program and of its libraries come here before they go to the system, so not in programs that are linked
// statically as a whole. Locks for reading (std::shared_mutex) are not looked at.
#pragma once

#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail::held_mutexes {

#if defined(JOBS_CHECK_MUTEXES)

inline constexpr bool kChecked = true;

// Names each mutex that the fiber holds, and the wait; each place of the program once. pre: it runs here, and is about to be left.
void report(const FiberCore& fiber);

#else

inline constexpr bool kChecked = false;
inline void report(const FiberCore&) noexcept {}

#endif

}  // namespace jobs::inline JOBS_ABI::detail::held_mutexes
