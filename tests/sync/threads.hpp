// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// External threads for tests: started in one line, joined at the end of the scope.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace jobs::test {

// Long enough for a thread to come to its wait, in nearly all runs. Tests pass as well if it does not: they prove less then.
inline constexpr std::chrono::milliseconds kSettle{2};
// A timeout that passes, and one that must not.
inline constexpr std::chrono::milliseconds kShort{5};
inline constexpr std::chrono::seconds kLong{60};

inline void settle() { std::this_thread::sleep_for(kSettle); }

// `count` threads that run f(index).
template <class F>
std::vector<std::jthread> threads(std::size_t count, F f) {
  std::vector<std::jthread> started;
  started.reserve(count);
  for (std::size_t index = 0; index < count; ++index) started.emplace_back([f, index]() mutable { f(index); });
  return started;
}

// What f() returns on another thread.
template <class F>
auto elsewhere(F f) {
  decltype(f()) result{};
  std::jthread([&] { result = f(); }).join();
  return result;
}

}  // namespace jobs::test
