// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Exceptions in headers: the functions of the compiled library.
#include "jobs/base/exceptions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

void abort_on_exception(const std::exception& exception) noexcept {
  char line[512];
  const int length = std::snprintf(
      line, sizeof line, "jobs: error in code without exceptions: %s\n", exception.what());
  os::fatal_error({line, std::min(static_cast<std::size_t>(length), sizeof line - 1)});
}

int call_contained(int (*function)(void* argument), void* argument) noexcept {
  return function(argument);
}

}  // namespace jobs::inline JOBS_ABI::detail
