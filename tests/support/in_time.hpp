// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// is_true_in_time(): waits on a thread of the test until a condition holds.
#pragma once

#include <chrono>
#include <thread>

namespace jobs::test {

// Waits long enough that only a hang is a failure. Returns whether the condition holds.
template <class Condition>
bool is_true_in_time(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace jobs::test
