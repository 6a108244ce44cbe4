// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/event.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

bool Event::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  detail::StopGate stop_gate(stop);
  return wait_until_admitted({.deadline = deadline, .stop = stop_gate.get()}) == detail::Outcome::kOk;
}

void Event::destroyed_in_use() const noexcept { detail::breach("Event", this, "destroyed while waited on"); }

bool Event::OnSignal::try_now() noexcept {
  return event_.reset_ == Reset::kManual ? event_.gate_.is_open() : event_.gate_.pass_one();
}

bool Event::OnSignal::link() noexcept {
  while (!event_.gate_.link(*this)) {
    if (!try_now()) continue;
    // Passes first and claims second, because a claim cannot be undone. A signal that is not needed
    // is passed on to the next waiter.
    if (!selection->claim(*this) && event_.reset_ == Reset::kAutomatic) event_.gate_.admit_one();
    return false;
  }
  return true;
}

}  // namespace jobs::inline JOBS_ABI
