// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Threads: the error of a thread that cannot be started.
#include "jobs/base/thread.hpp"

#include <string>
#include <system_error>

namespace jobs::inline JOBS_ABI::detail {

void refuse_thread(const std::error_code& reason, std::string_view purpose,
                   std::string_view remedy) {
  std::string text = "jobs: no thread for ";
  text.append(purpose).append(": raise a limit of the system (ulimit -u, ulimit -v, pids.max of ");
  text.append("the control group, kernel.threads-max)");
  if (!remedy.empty()) text.append(", or ").append(remedy);
  throw std::system_error(reason, text);
}

}  // namespace jobs::inline JOBS_ABI::detail
