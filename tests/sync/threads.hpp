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

// The result of f() on another thread.
template <class F>
auto elsewhere(F f) {
  decltype(f()) result{};
  std::jthread([&] { result = f(); }).join();
  return result;
}

}  // namespace jobs::test
