// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// until_waiting(): the caller goes on when a fiber waits. It sleeps between two looks. A caller
// that yields instead fills the ring of its worker, and the oldest events are lost: the fiber's
// name, if another worker starts the fiber late.
#pragma once

#include <chrono>

#include "jobs/jobs.hpp"

namespace jobs::test {

inline void until_waiting(const Fiber<void>& fiber) {
  while (fiber.state() != FiberState::kWaiting) {
    this_fiber::sleep_for(std::chrono::microseconds(200));
  }
}

}  // namespace jobs::test
