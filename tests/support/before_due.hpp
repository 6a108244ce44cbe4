// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// before_due(): for tests of the order of lower jobs among other jobs of one worker.
#pragma once

#include <chrono>

#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::test {

// A worker that always finds an upper job begins a low or a background job after these times.
inline constexpr std::chrono::milliseconds kLowDue{10};
inline constexpr std::chrono::milliseconds kBackgroundDue{100};

// Calls attempt() until a call has taken less than `due`, and returns its result: during that call
// no lower job was due. In a job or on a bound thread of a scheduler with one worker.
template <class Attempt>
auto before_due(std::chrono::nanoseconds due, Attempt&& attempt) {
  for (;;) {
    // The worker begins the time anew in a check that finds no lower job. A check comes at least
    // once in 61 jobs.
    Counter checked;
    for (int i = 0; i < 200; ++i) spawn(checked, [] {});
    checked.wait();
    const auto start = std::chrono::steady_clock::now();
    auto result = attempt();
    if (std::chrono::steady_clock::now() - start < due) return result;
  }
}

}  // namespace jobs::test
