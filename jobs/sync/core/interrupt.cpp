// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/interrupt.hpp"

#include "jobs/error.hpp"
#include "jobs/sync/core/fiber_signals.hpp"

namespace jobs::inline JOBS_ABI::detail {

void throw_interrupt(FiberCore& fiber) {
  if ((fiber.signals & fiber.interrupts) != 0)
    static_cast<FiberSignals*>(fiber.fiber_signals)->throw_interrupt(fiber);
  throw Cancelled(fiber.limit_scope);
}

}  // namespace jobs::inline JOBS_ABI::detail
