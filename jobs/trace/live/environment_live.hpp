// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentLive: the page that the environment variable JOBS_LIVE asks for. It exists from the
// first scheduler of the process until its exit. A thread of low rate writes it.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class EnvironmentLive {
 public:
  // Reads the variable, in the first call only. Any thread. Throws Error(kBadEnvironment),
  // std::system_error if the system refuses the thread, std::bad_alloc.
  static void start_once();
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
