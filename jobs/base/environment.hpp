// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Environment: checks of the variables that static initialisers read. Such an initialiser cannot
// report a bad value, so the start of a scheduler reports it. Any thread may call it.
#pragma once

#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Checks JOBS_FENCED (0 or 1), JOBS_RAID (eager) and JOBS_STACK_GUARD (mprotect). Each may be
// empty. Throws Error(kBadEnvironment) with the name and the value.
void check_switches();

// Throws Error(kBadEnvironment): VARIABLE="VALUE" RULE, with at most 43 bytes of the escaped value.
[[noreturn]] JOBS_EXPORT void refuse_variable(const char* variable, std::string_view value,
                                              std::string_view rule);

}  // namespace jobs::inline JOBS_ABI::detail
