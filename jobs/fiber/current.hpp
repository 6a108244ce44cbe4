// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Who runs the caller (this_thread().host->current()), and how broken contracts end.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/thread_state.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A broken contract: prints one line that names the object, the rule, the fiber and the worker, then aborts. Always on.
//   breach("Mutex", this, "unlock() by a fiber that does not hold it");
[[noreturn]] JOBS_COLD JOBS_EXPORT void breach(const char* type, const void* object, const char* what) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
