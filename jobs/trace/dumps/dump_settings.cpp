// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DumpSettings: the checks of the variables.
#include "jobs/trace/dumps/dump_settings.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <string_view>
#include <utility>

#include "jobs/base/environment.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::read_variable;
using jobs::detail::refuse_variable;

constexpr const char* kSlow = "JOBS_TRACE_SLOW";
constexpr const char* kLast = "JOBS_TRACE_LAST";
constexpr const char* kSignal = "JOBS_TRACE_SIGNAL";

struct Unit {
  std::string_view name;
  os::Nanoseconds length;
};
constexpr std::array<Unit, 3> kUnits = {{{"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}}};
constexpr os::Nanoseconds kLongest = 3'600'000'000'000;

struct SignalName {
  std::string_view name;
  int number;
};
constexpr std::array<SignalName, 4> kSignals = {
    {{"HUP", SIGHUP}, {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2}}};

// Returns 0 if the variable is not set.
os::Nanoseconds read_duration(const char* variable) {
  const std::string_view value = read_variable(variable);
  if (value.empty()) return 0;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const std::string_view rest = value.substr(static_cast<std::size_t>(end - value.data()));
  const auto* const unit = std::find_if(kUnits.begin(), kUnits.end(),
                                        [rest](const Unit& other) { return other.name == rest; });
  if (error == std::errc() && unit != kUnits.end() && number != 0 &&
      number <= kLongest / unit->length)
    return number * unit->length;
  refuse_variable(variable, value, "is no time such as 20ms, from 1us to 3600s");
}

// Returns 0 if the variable is not set.
int read_signal() {
  const std::string_view value = read_variable(kSignal);
  if (value.empty()) return 0;
  const auto* const found =
      std::find_if(kSignals.begin(), kSignals.end(),
                   [value](const SignalName& other) { return other.name == value; });
  if (found == kSignals.end()) refuse_variable(kSignal, value, "is none of HUP, QUIT, USR1, USR2");
  return found->number;
}

}  // namespace

DumpSettings read_dump_settings(std::string path) {
  DumpSettings settings{.path = std::move(path),
                        .slow = read_duration(kSlow),
                        .last = read_duration(kLast),
                        .signal = read_signal()};
  if (!settings.path.empty()) return settings;
  for (const char* const variable : {kSlow, kLast, kSignal}) {
    if (*read_variable(variable) != '\0')
      refuse_variable(variable, read_variable(variable), "needs the name of a file in JOBS_TRACE");
  }
  return settings;
}

std::string numbered(const std::string& path, unsigned number) {
  const std::size_t dot = path.rfind('.');
  return path.substr(0, dot) + "-" + std::to_string(number) + path.substr(dot);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
