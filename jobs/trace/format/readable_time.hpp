// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The form of times in profiles and findings.
#pragma once

#include <chrono>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Returns three digits with their unit, such as "12.3 us". Throws std::bad_alloc.
std::string readable_time(std::chrono::nanoseconds time);

}  // namespace jobs::inline JOBS_ABI::trace::detail
