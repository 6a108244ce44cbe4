// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParkedHost: a host of a Parker without fibers, for tests and models of workers that sleep.
#pragma once

#include "jobs/fiber/fiber_host.hpp"
#include "jobs/runtime/parking/idle.hpp"

namespace jobs::test {

struct ParkedHost : detail::FiberHost {
  void arm(detail::Deadline&) noexcept override {}
  void disarm(detail::Deadline&) noexcept override {}
  void post(detail::Wakeup& wakeup) noexcept override { parker.inbox.push(wakeup); }
  const char* describe() const noexcept override { return "worker"; }

  detail::Parker parker{*this};

 private:
  void switch_away() noexcept override {}
};

}  // namespace jobs::test
