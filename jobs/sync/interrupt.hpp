// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ending a wait early, whatever it is for: because others want the fiber to stop or sent it an exception (mailbox.hpp), or because
// a time limit around the wait has run out. park() notices, tidies up and reports kInterrupted; the function that the user called
// then throws, here. A wait that got what it waits for succeeds, though late: so nothing that was granted is lost.
#pragma once

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/thread_host.hpp"
#include "jobs/sync/until.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Throws what the fiber was interrupted with: the exception that was sent, else Cancelled.
[[noreturn]] JOBS_EXPORT void throw_interrupt(FiberCore& fiber);

inline Outcome throw_if_interrupted(FiberHost& host, Outcome outcome) {
  if (outcome == Outcome::kInterrupted) [[unlikely]]
    throw_interrupt(host.current());
  return outcome;
}

// While it lives, no wait of the fiber ends early, or fails for want of a stack: then its worker serves nothing but fibers that are
// ready until it gets one. For waits that must not throw, such as those of destructors.
class InterruptShield {
 public:
  explicit InterruptShield(FiberCore& fiber) noexcept
      : fiber_(fiber), interrupts_(fiber.interrupts), limit_(fiber.limit), must_wait_(fiber.must_wait) {
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

// Waits for the end of work that refers to the caller's frame. If the wait is cut short, calls hurry(), waits for the end whatever
// happens, and throws what cut it short.
template <class Hurry>
void wait_to_the_end(Event& end, Hurry&& hurry) {
  try {
    end.wait();
  } catch (...) {
    hurry();
    const WaitingThread here;
    const InterruptShield whatever_happens(here.host().current());
    end.wait();
    throw;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
