// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WatchLimits: the choice between options and environment.
#include "jobs/runtime/diagnostics/watch_limits.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "jobs/base/environment.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24);
constexpr os::Nanoseconds kDefaultShutdown = 10'000'000'000;

// `usual`: the limit if neither the option nor the variable is set.
os::Nanoseconds limit(std::chrono::milliseconds option, const char* option_name,
                      const char* variable, os::Nanoseconds usual = WatchLimits::kOff) {
  if (option == std::chrono::milliseconds::max()) return WatchLimits::kOff;
  if (option < std::chrono::milliseconds::zero() || option > kLongest)
    throw Error(ErrorCode::kBadArgument, std::string(option_name) + " is not from 0 to 24 hours");
  if (option == std::chrono::milliseconds::zero()) {
    const std::string_view value = read_variable(variable);
    if (value.empty()) return usual;
    const std::uint64_t count =
        parse_variable(variable, value, 0, kLongest.count(), " of milliseconds");
    option = std::chrono::milliseconds(count);
    if (count == 0) return WatchLimits::kOff;
  }
  return std::chrono::nanoseconds(option).count();
}

}  // namespace

WatchLimits WatchLimits::of(const SchedulerOptions& options) {
  return {.deadlock = limit(options.deadlock_after, "deadlock_after", "JOBS_DEADLOCK_MS"),
          .stall = limit(options.stall_after, "stall_after", "JOBS_STALL_MS"),
          .shutdown = limit(options.shutdown_report_after, "shutdown_report_after",
                            "JOBS_SHUTDOWN_MS", kDefaultShutdown)};
}

}  // namespace jobs::inline JOBS_ABI::detail
