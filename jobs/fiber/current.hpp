// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Violations of the contract: how they end. The fiber that runs the caller is
// this_thread().host->current(). Any thread may call contract_violation().
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/thread_state.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Reports a violation of the contract and aborts. It prints one line that names the object, the
// rule, the fiber and the worker. The check is active in every build. A caller that puts a string
// of the program into `what` escapes it (base/message.hpp).
//   contract_violation("Mutex", this, "unlock() by a fiber that does not own it");
[[noreturn]] JOBS_COLD JOBS_EXPORT void contract_violation(const char* type, const void* object,
                                                           const char* what) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
