// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The atomics facade of jobs/base/atomic.hpp in a simulation. A simulation has one OS thread, so
// every operation is atomic. Before each operation another virtual thread may run. Memory is
// sequentially consistent; tests/model covers the effects of weaker orders.
#pragma once

#include <atomic>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::os {

// A point at which another virtual thread may run; time passes. jobs/testing implements it. Outside
// a simulation it does nothing.
JOBS_EXPORT void simulated_step() noexcept;
// The step of a loop that waits for another thread: another virtual thread runs, if one exists.
JOBS_EXPORT void simulated_spin() noexcept;

}  // namespace jobs::inline JOBS_ABI::os

namespace jobs::inline JOBS_ABI::detail {

using Order = std::memory_order;

#define JOBS_ORDER(name, order) \
  inline constexpr ::jobs::detail::Order name { std::memory_order_##order }

template <class T>
class Atomic : public std::atomic<T> {
  using Base = std::atomic<T>;

 public:
  constexpr Atomic() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): as std::atomic
  constexpr Atomic(T initial) noexcept : Base(initial) {}

  T load(Order order) const noexcept { return step(), Base::load(order); }
  void store(T value, Order order) noexcept { step(), Base::store(value, order); }
  T exchange(T value, Order order) noexcept { return step(), Base::exchange(value, order); }
  T fetch_add(T value, Order order) noexcept
    requires requires(Base& a) { a.fetch_add(value); }
  {
    return step(), Base::fetch_add(value, order);
  }
  T fetch_sub(T value, Order order) noexcept
    requires requires(Base& a) { a.fetch_sub(value); }
  {
    return step(), Base::fetch_sub(value, order);
  }
  T fetch_or(T value, Order order) noexcept
    requires requires(Base& a) { a.fetch_or(value); }
  {
    return step(), Base::fetch_or(value, order);
  }
  T fetch_and(T value, Order order) noexcept
    requires requires(Base& a) { a.fetch_and(value); }
  {
    return step(), Base::fetch_and(value, order);
  }
  T fetch_xor(T value, Order order) noexcept
    requires requires(Base& a) { a.fetch_xor(value); }
  {
    return step(), Base::fetch_xor(value, order);
  }
  template <class... Orders>
  bool compare_exchange_strong(T& expected, T desired, Orders... orders) noexcept {
    return step(), Base::compare_exchange_strong(expected, desired, orders...);
  }
  template <class... Orders>
  bool compare_exchange_weak(T& expected, T desired, Orders... orders) noexcept {
    return step(), Base::compare_exchange_strong(expected, desired, orders...);
  }

  // Loads without a step, for the simulation itself.
  T peek() const noexcept { return Base::load(std::memory_order_relaxed); }

 private:
  static void step() noexcept { os::simulated_step(); }
};

template <class T>
using Plain = T;

inline void full_fence(Order order) noexcept {
  os::simulated_step();
  std::atomic_thread_fence(order);
}
inline void compiler_fence() noexcept {}  // the operations around it are steps
inline void cpu_relax() noexcept { os::simulated_spin(); }

}  // namespace jobs::inline JOBS_ABI::detail
