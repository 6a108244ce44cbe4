// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Environment: the one rule of docs/settings.md for all variables of the library, and the checks of
// the variables that static initialisers read. Such an initialiser cannot report a bad value, so
// the start of a scheduler reports it. Any thread may call these functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Returns the value of a variable, never null. Empty: it is unset or empty, or the program has
// raised privileges, which make the library ignore the environment of the caller.
[[nodiscard]] JOBS_EXPORT const char* read_variable(const char* variable) noexcept;

// Returns the value as a whole number from `least` to `most`. Throws Error(kBadEnvironment): the
// value is no such number. `unit`: of the message, such as " of milliseconds".
[[nodiscard]] JOBS_EXPORT std::uint64_t parse_variable(const char* variable, std::string_view value,
                                                       std::uint64_t least, std::uint64_t most,
                                                       std::string_view unit = {});

// Checks JOBS_FENCED (0 or 1), JOBS_RAID (eager), JOBS_STACK_GUARD (mprotect), and in a build with
// chaos JOBS_CHAOS (a whole number). Each may be empty. Throws Error(kBadEnvironment) with the name
// and the value.
void check_switches();

// Throws Error(kBadEnvironment): VARIABLE="VALUE" RULE, with at most 43 bytes of the escaped value.
[[noreturn]] JOBS_EXPORT void refuse_variable(const char* variable, std::string_view value,
                                              std::string_view rule);

}  // namespace jobs::inline JOBS_ABI::detail
