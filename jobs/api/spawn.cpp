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
  const detail::WorkerContext* const context = detail::this_context();
  if (context != nullptr && !context->is_external()) {
    context->worker()->yield();
  } else {
    os::yield_thread();
  }
}

bool maybe_yield() {
  const detail::WorkerContext* const context = detail::this_context();
  if (context == nullptr || context->is_external() || !context->worker()->is_slice_over())
    return false;
  context->worker()->yield();
  return true;
}

}  // namespace jobs::inline JOBS_ABI
