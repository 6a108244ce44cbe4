// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/event.hpp"

#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/stop_event.hpp"

namespace jobs::inline JOBS_ABI {

bool Event::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  detail::StopEvent stop_event(stop);
  return wait_on_core({.deadline = deadline, .stop = stop_event.get()}) == detail::WaitStatus::kOk;
}

void Event::destroyed_in_use() const noexcept {
  detail::contract_violation("Event", this, "destroyed while waited on");
}

bool Event::OnSignal::try_now() noexcept {
  return event_.reset_ == Reset::kManual ? event_.core_.is_open() : event_.core_.try_consume();
}

bool Event::OnSignal::link() noexcept {
  while (!event_.core_.link(*this)) {
    if (!try_now()) continue;
    // Passes first and claims second, because a claim cannot be undone. A signal that is not needed
    // is passed on to the next waiter.
    if (!selection->claim(*this) && event_.reset_ == Reset::kAutomatic) event_.core_.release_one();
    return false;
  }
  return true;
}

}  // namespace jobs::inline JOBS_ABI
