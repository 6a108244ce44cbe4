// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Fiber: errors of the handle, and the wait of its destructor.
#include "jobs/fiber.hpp"

#include "jobs/error.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

void throw_not_joinable() {
  throw Error(ErrorCode::kBadArgument, "Fiber: it was joined or detached before, or never started");
}

void throw_joins_itself() { throw Error(ErrorCode::kBadArgument, "Fiber: it cannot join itself"); }

bool is_current(const FiberControl& control) noexcept {
  const FiberHost* const host = this_thread().host;
  return host != nullptr && FiberControl::of(host->current()) == &control;
}

void stop_and_detach(FiberControl* control) noexcept {
  // A fiber inherited from the parent process never ends in this process.
  if (control->is_inherited() && !control->finished.is_set()) return;
  control->request_stop();
  const WaitingThread here;
  const InterruptShield shield(here.host().current());
  control->wait();
  control->detach();
}

}  // namespace jobs::inline JOBS_ABI::detail
