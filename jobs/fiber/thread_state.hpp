// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the library knows of the calling thread: its only thread_local. Fibers never change threads, so a value read before a
// wait is still right after it.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberHost;
class Lane;

struct ThreadState {
  FiberHost* host = nullptr;  // the worker, or the ThreadHost of an external thread that waits just now
  Lane* lane = nullptr;       // where fork_join and the loops push: the worker's, or a guest's; null: unbound thread
  unsigned spin_locks = 0;    // held just now (sync/spin_lock.hpp): the fiber must not suspend
  // In a child process: fork() was called in a job or a loop. The frames below are the parent's, and what they wait for never comes.
  bool forked_inside = false;
  const void* submitted = nullptr;  // the last job from here then: it may be waited for
};

#if defined(JOBS_MODEL) || defined(JOBS_SIMULATED)
ThreadState& this_thread() noexcept;  // one for each thread of the model, or of the simulation
#else
JOBS_EXPORT extern constinit thread_local ThreadState thread_state;
inline ThreadState& this_thread() noexcept { return thread_state; }
#endif

}  // namespace jobs::inline JOBS_ABI::detail
