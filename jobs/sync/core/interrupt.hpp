// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: interrupts, which end a wait early, whatever its object is.
//
// Two things interrupt a wait: a stop or an exception that was sent to the fiber
// (fiber_signals.hpp), and the time limit of an enclosing scope. park() detects the interrupt,
// withdraws and reports kInterrupted. The function that the user called then throws, by
// throw_if_interrupted(). A wait that has its result succeeds, though late. Therefore no granted
// result is lost.
//
// All functions are for the thread of the fiber.
#pragma once

#include "jobs/base/exceptions.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "jobs/sync/core/wait_limit.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Throws the reason of the interrupt: the exception that was sent, else Cancelled.
[[noreturn]] JOBS_EXPORT void throw_interrupt(FiberCore& fiber);

inline WaitStatus throw_if_interrupted(FiberHost& host, WaitStatus status) {
  if (status == WaitStatus::kInterrupted) [[unlikely]]
    throw_interrupt(host.current());
  return status;
}

// While it lives, no wait of the fiber ends early, and none fails for lack of a stack: without a
// stack, the worker runs only fibers that are ready, until it gets one. For waits that must not
// throw, such as the waits of destructors.
class InterruptShield {
 public:
  explicit InterruptShield(FiberCore& fiber) noexcept
      : fiber_(fiber),
        interrupts_(fiber.interrupts),
        limit_(fiber.limit),
        must_wait_(fiber.must_wait) {
    fiber_.interrupts = 0;
    fiber_.limit = os::kNever;
    fiber_.must_wait = true;
  }
  ~InterruptShield() {
    fiber_.interrupts = interrupts_;
    fiber_.limit = limit_;
    fiber_.must_wait = must_wait_;
  }
  InterruptShield(const InterruptShield&) = delete;
  InterruptShield& operator=(const InterruptShield&) = delete;

 private:
  FiberCore& fiber_;
  const unsigned interrupts_;
  const os::Nanoseconds limit_;
  const bool must_wait_;
};

// Waits by wait() for the end of work that refers to the frame of the caller, and returns its
// result. If an interrupt cuts the wait short, calls cancel(), waits for the end without
// interrupts, and rethrows the exception of the interrupt.
template <class End, class Cancel, class Wait>
auto wait_or_cancel(End& end, Cancel&& cancel, Wait&& wait) {
  JOBS_TRY { return wait(); }
  JOBS_CATCH_ALL {
    cancel();
    const WaitingThread here;
    const InterruptShield shield(here.host().current());
    end.wait();
    JOBS_RETHROW;
  }
}

template <class End, class Cancel>
void wait_or_cancel(End& end, Cancel&& cancel) {
  wait_or_cancel(end, cancel, [&] { end.wait(); });
}

}  // namespace jobs::inline JOBS_ABI::detail
