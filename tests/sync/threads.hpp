// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// External threads for tests: one line starts them, the end of the scope joins them.
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

namespace jobs::test {

// Long enough for a thread to reach its wait in nearly all runs. A test also passes if the thread
// does not; it then proves less.
inline constexpr std::chrono::milliseconds kSettle{2};
// A timeout that passes, and a timeout that must not pass.
inline constexpr std::chrono::milliseconds kShort{5};
inline constexpr std::chrono::seconds kLong{60};

inline void settle() { std::this_thread::sleep_for(kSettle); }

// `count` threads that run f(index).
template <class F>
std::vector<std::jthread> threads(std::size_t count, F f) {
  std::vector<std::jthread> started;
  started.reserve(count);
  for (std::size_t index = 0; index < count; ++index)
    started.emplace_back([f, index]() mutable { f(index); });
  return started;
}

// Calls round(i) for i from 0 on, `rounds` times. A machine on which this takes longer makes at
// least 100 rounds, and then as many as it can in 15 s: a quarter of the time of a test.
template <class F>
void repeat_for_a_while(int rounds, F&& round) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(15);
  for (int i = 0; i < rounds && (i < 100 || std::chrono::steady_clock::now() < end); ++i) round(i);
}

// The result of f() on another thread.
template <class F>
auto elsewhere(F f) {
  decltype(f()) result{};
  std::jthread([&] { result = f(); }).join();
  return result;
}

}  // namespace jobs::test
