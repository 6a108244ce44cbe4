// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Environment: reading and checking.
#include "jobs/base/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>

#include "jobs/base/message.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

void check_switch(const char* variable, std::initializer_list<std::string_view> meanings,
                  const char* rule) {
  const std::string_view value = read_variable(variable);
  if (value.empty() || std::find(meanings.begin(), meanings.end(), value) != meanings.end()) return;
  refuse_variable(variable, value, rule);
}

}  // namespace

const char* read_variable(const char* variable) noexcept {
  const char* const text = secure_getenv(variable);
  return text != nullptr ? text : "";
}

std::uint64_t parse_variable(const char* variable, std::string_view value, std::uint64_t least,
                             std::uint64_t most, std::string_view unit) {
  std::uint64_t number = 0;
  const char* const first = value.data();
  const char* const last = first + value.size();
  const auto [end, error] = std::from_chars(first, last, number);
  if (error == std::errc() && end == last && number >= least && number <= most) return number;
  MessageLine rule;
  rule << "is not a whole number" << unit << " from " << least << " to " << most;
  refuse_variable(variable, value, rule.text());
}

void refuse_variable(const char* variable, std::string_view value, std::string_view rule) {
  constexpr std::size_t kShown = 43;  // length of the quotation: the environment may hold megabytes
  MessageLine message;
  message << variable << "=\"";
  message.escaped(value, kShown, Quoting::kQuoted) << "\" " << rule;
  throw_error(ErrorCode::kBadEnvironment, message);
}

void check_switches() {
  check_switch("JOBS_FENCED", {"0", "1"}, "is neither 0 nor 1");
  check_switch("JOBS_RAID", {"eager"}, "is not eager");
  check_switch("JOBS_STACK_GUARD", {"mprotect"}, "is not mprotect");
#if defined(JOBS_CHAOS)
  if (const char* const seed = read_variable("JOBS_CHAOS"); *seed != '\0')
    static_cast<void>(parse_variable("JOBS_CHAOS", seed, 0, UINT64_MAX));
#endif
}

}  // namespace jobs::inline JOBS_ABI::detail
