// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork(): a child process has the one thread that called it. What the process shares, the lists of schedulers and fibers and the
// default scheduler, begins anew there; a scheduler that was inherited has lost its threads, and knows it by the generation
// (base/process_generation.hpp).
//
// No lock of ours is held by a thread that the child does not have: those that guard what the child begins anew are re-made there,
// and those that it goes on to use are taken before the fork. All else belongs to one scheduler, which the child leaves alone.
#pragma once

#include <mutex>

#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Held while a scheduler asks the machine what it is: answers that are asked for once per process are then there, or nobody is
// asking, at each fork.
[[nodiscard]] std::unique_lock<ThreadMutex> first_questions() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
