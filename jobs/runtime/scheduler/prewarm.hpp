// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: prewarm() prepares stacks for Scheduler::prewarm(). It stands apart from the scheduler,
// so that only programs that call it contain its code.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// As SchedulerCore::prewarm(), of the scheduler that `shared` is a part of. Any thread.
JOBS_EXPORT void prewarm(Shared& shared, std::size_t fibers, std::size_t stack_size);

}  // namespace jobs::inline JOBS_ABI::detail
