// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork(): a child process has one thread, the thread that called fork(). Three data structures of
// the process start anew in the child: the list of schedulers, the registry of fibers, and the
// default scheduler. An inherited scheduler has lost its threads, and recognises this by the
// generation (base/process_generation.hpp).
//
// Invariant: in the child, no thread of the parent owns a lock that the child uses. The child
// renews the locks of the data structures that start anew. The forking thread takes the locks that
// the child continues to use before the fork. All other locks belong to one scheduler, which the
// child does not use.
#pragma once

#include <mutex>

#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Returns a lock that a new scheduler owns while it reads the machine. Some properties are read
// once per process. At each fork, such a property is either known, or no thread is reading it.
[[nodiscard]] std::unique_lock<ThreadMutex> lock_against_fork() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
