// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentProfile: the profile that the environment variable JOBS_PROFILE asks for. It begins
// with the first scheduler of the process, and is printed at the exit of the process.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class EnvironmentProfile {
 public:
  // Reads the variable, in the first call only. Any thread. Throws Error(kBadEnvironment),
  // std::bad_alloc.
  static void start_once();

 private:
  static void print_at_exit() noexcept;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
