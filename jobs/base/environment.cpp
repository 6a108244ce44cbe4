// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Environment: the checks.
#include "jobs/base/environment.hpp"

#include <algorithm>
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
  const char* const text = secure_getenv(variable);
  const std::string_view value = text != nullptr ? text : "";
  if (value.empty() || std::find(meanings.begin(), meanings.end(), value) != meanings.end()) return;
  refuse_variable(variable, value, rule);
}

}  // namespace

void refuse_variable(const char* variable, std::string_view value, std::string_view rule) {
  constexpr std::size_t kShown = 43;  // length of the quotation: the environment may hold megabytes
  std::string message = variable;
  message.append("=\"").append(escaped(value, kShown)).append("\" ").append(rule);
  throw Error(ErrorCode::kBadEnvironment, message);
}

void check_switches() {
  check_switch("JOBS_FENCED", {"0", "1"}, "is neither 0 nor 1");
  check_switch("JOBS_RAID", {"eager"}, "is not eager");
  check_switch("JOBS_STACK_GUARD", {"mprotect"}, "is not mprotect");
}

}  // namespace jobs::inline JOBS_ABI::detail
