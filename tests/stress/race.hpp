// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The common parts of the storms of races. They pause each party for a random time, so that each
// side of a race comes first in some runs. They also define the exceptions that the parties send
// each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>

#include "jobs/base/atomic.hpp"
#include "jobs/base/random.hpp"
#include "jobs/spawn.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/seed.hpp"

namespace jobs::test {

using detail::Random;

// Sent to a fiber by FiberRef::schedule_exception(). The number shows if an exception arrives twice
// or not at all.
struct Interruption {
  unsigned sender;
  std::uint64_t number;
};

inline std::exception_ptr interruption(unsigned sender, std::uint64_t number) {
  return std::make_exception_ptr(Interruption{sender, number});
}

// A timeout that may or may not pass.
inline std::chrono::nanoseconds brief(Random& random) {
  return std::chrono::nanoseconds(random.below(10'000));
}

// Pauses for no time, for some nanoseconds, or for as long as a turn of another fiber.
inline void dawdle(Random& random) {
  const std::uint32_t dice = random.below(8);
  if (dice < 3) {
    for (std::uint32_t i = random.below(100); i > 0; --i) detail::cpu_relax();
  } else if (dice < 6 && this_fiber::ref()) {
    yield();
  } else if (dice < 6) {
    this_fiber::sleep_for(
        brief(random));  // a thread that yields its time slices may starve on a busy machine
  }
}

}  // namespace jobs::test
