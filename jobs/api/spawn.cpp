// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// yield() and maybe_yield() of the current thread.
#include "jobs/spawn.hpp"

#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI {

void yield() {
  const detail::Lane* const lane = detail::this_context();
  if (lane != nullptr && !lane->is_guest()) {
    lane->worker()->yield();
  } else {
    os::yield_thread();
  }
}

bool maybe_yield() {
  const detail::Lane* const lane = detail::this_context();
  if (lane == nullptr || lane->is_guest() || !lane->worker()->is_slice_over()) return false;
  lane->worker()->yield();
  return true;
}

}  // namespace jobs::inline JOBS_ABI
