// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of the calling thread, and the report of a violation of the contract.
#include "jobs/fiber/current.hpp"

#include <cstdio>

#include "jobs/base/message.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_label.hpp"

namespace jobs::inline JOBS_ABI::detail {

#if !defined(JOBS_SIMULATED)
// Marked as used because assembler code names it, which link-time optimisation does not read.
[[gnu::used]] constinit thread_local ThreadState thread_state;
#endif

void contract_violation(const char* type, const void* object, const char* what) noexcept {
  char address[24] = "(address unknown)";
  if (object != nullptr) std::snprintf(address, sizeof address, "%p", object);
  MessageLine line;
  line << "jobs: " << type << " " << address << ": " << what << " [";
  const FiberHost* const host = this_thread().host;
  if (host == nullptr) {
    line << "external thread";
  } else {
    if (host->current().id == kBorrowedThread) {
      line << "a job in Counter::wait() of an ";
    } else if (host->current().id != 0) {
      append_label(line, host->current());
      line << ", ";
    }
    line << host->describe();
  }
  line << "]";
  os::fatal_error(line.finish());
}

}  // namespace jobs::inline JOBS_ABI::detail
