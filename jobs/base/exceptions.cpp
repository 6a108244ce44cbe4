// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Exceptions in headers: the functions of the compiled library.
#include "jobs/base/exceptions.hpp"

#include "jobs/base/message.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

void abort_on_exception(const std::exception& exception) noexcept {
  MessageLine line;
  line << "jobs: error in code without exceptions: ";
  line.escaped(exception.what(), kLongestText, Quoting::kPlain);
  os::fatal_error(line.finish());
}

int call_contained(int (*function)(void* argument), void* argument) noexcept {
  return function(argument);
}

}  // namespace jobs::inline JOBS_ABI::detail
