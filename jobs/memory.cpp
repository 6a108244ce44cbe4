// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/memory.hpp"

#include "jobs/runtime/scheduler_core.hpp"
#include "jobs/runtime/submit.hpp"

namespace jobs::inline JOBS_ABI {

std::pmr::memory_resource* memory_resource() { return &detail::current_core().memory_resource(); }

}  // namespace jobs::inline JOBS_ABI
