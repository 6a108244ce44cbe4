// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The state of the calling thread, and the report of a violation of the contract.
#include "jobs/fiber/current.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

#if !defined(JOBS_SIMULATED)
// Marked as used because assembler code names it, which link-time optimisation does not read.
[[gnu::used]] constinit thread_local ThreadState thread_state;
#endif

void contract_violation(const char* type, const void* object, const char* what) noexcept {
  char where[128] = "external thread";
  if (const FiberHost* host = this_thread().host) {
    const FiberCore& fiber = host->current();
    const auto id = static_cast<unsigned long long>(fiber.id);
    if (id == 0) {
      std::snprintf(where, sizeof where, "%s", host->describe());
    } else if (fiber.name == nullptr) {
      std::snprintf(where, sizeof where, "fiber %llu, %s", id, host->describe());
    } else {
      std::snprintf(where, sizeof where, "fiber %llu \"%s\", %s", id, fiber.name, host->describe());
    }
  }
  char line[512];
  const int length =
      std::snprintf(line, sizeof line, "jobs: %s %p: %s [%s]\n", type, object, what, where);
  os::fatal_error({line, std::min(static_cast<std::size_t>(length), sizeof line - 1)});
}

}  // namespace jobs::inline JOBS_ABI::detail
