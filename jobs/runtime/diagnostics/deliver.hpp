// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The reports that a scheduler makes by itself: their way to the user, and the report of a shutdown
// that takes long. The watchdog and the thread that shuts a scheduler down call these functions.
#pragma once

#include <chrono>

#include "jobs/report_types.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;

// Passes the report to the hook of the user, or writes it to the standard error.
void deliver(const Shared& shared, const Report& report) noexcept;
// As ReportShutdown.
void report_shutdown(Shared& shared, std::chrono::nanoseconds waited) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
