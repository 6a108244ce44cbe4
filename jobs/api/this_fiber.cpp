// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions about the running fiber.
#include "jobs/this_fiber.hpp"

#include <algorithm>

#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/fiber/fiber_label.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

namespace {

// Returns the control block of the Fiber that runs the caller, or null.
FiberControl* current_control() noexcept {
  const FiberHost* const host = this_thread().host;
  return host != nullptr ? FiberControl::of(host->current()) : nullptr;
}

FiberControl& require_control(const char* what) {
  FiberControl* const control = current_control();
  if (control == nullptr)
    throw Error(ErrorCode::kBadArgument, std::string(what) + ": only inside a Fiber");
  return *control;
}

}  // namespace

void sleep_until(os::Nanoseconds deadline) {
  if (deadline <= os::now()) return yield();
  const WaitingThread here;
  FiberHost& host = here.host();
  host.prepare_wait();
  FiberCore& fiber = host.current();
  const bool limited = fiber.limit < deadline;
  Deadline timer(&fiber, limited ? fiber.limit : deadline);
  host.arm(timer);
  fiber.waits_for = {WaitKind::kSleep, nullptr};
  const unsigned got = host.suspend(kTimeout | fiber.interrupts);
  host.disarm(timer);
  fiber.signals = fiber.signals & ~unsigned{kTimeout};
  if (limited || (got & kInterrupt) != 0) throw_interrupt(fiber);
}

bool suspend_until(const TypeIdentity& type, os::Nanoseconds deadline,
                   std::unique_ptr<ResumeValue>& value) {
  FiberControl& control = require_control("suspend()");
  return control.fiber_signals.await(*this_thread().host, type, deadline, value);
}

}  // namespace detail

namespace this_fiber {

FiberId id() noexcept {
  const detail::FiberHost* const host = detail::this_thread().host;
  if (host == nullptr) return {};
  // The id of a thread that plays a Fiber is in its control block only.
  if (const detail::FiberControl* const control = detail::FiberControl::of(host->current()))
    return FiberId{control->id};
  const std::uint64_t fiber = host->current().id;
  return fiber == detail::kBorrowedThread ? FiberId{} : FiberId{fiber};
}

FiberRef ref() noexcept {
  detail::FiberControl* const control = detail::current_control();
  if (control != nullptr) control->add_owner();
  return FiberRef::adopt(control);
}

void set_name(std::string name) { detail::require_control("set_name()").rename(name); }

std::stop_token stop_token() {
  detail::FiberControl* const control = detail::current_control();
  return control != nullptr ? control->fiber_signals.stop_token() : std::stop_token();
}

void check_cancelled() {
  const detail::FiberHost* const host = detail::this_thread().host;
  if (host == nullptr) return;
  detail::FiberCore& fiber = host->current();
  const bool is_late = fiber.limit != os::kNever && fiber.limit <= os::now();
  if (is_late || (fiber.signals & fiber.interrupts) != 0) detail::throw_interrupt(fiber);
}

}  // namespace this_fiber
}  // namespace jobs::inline JOBS_ABI
