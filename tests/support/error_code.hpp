// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The code and the message of the Error that a call throws, for tests of misuse.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "jobs/error.hpp"

namespace jobs::test {

// Calls f(). Returns the code of the Error that it throws, or nothing if it throws none.
template <class F>
std::optional<ErrorCode> code_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const Error& error) {
    return error.code();
  }
  return std::nullopt;
}

// Calls f(). Returns the message of the Error that it throws, or "no error".
template <class F>
std::string error_of(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace jobs::test
