// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The model's implementation of the atomics facade jobs/base/atomic.hpp. Shipping source includes
// only this header of the explorer.
#pragma once

#include <atomic>
#include <concepts>
#include <cstring>
#include <type_traits>

#include "jobs/base/config.hpp"
#include "tests/model/explorer/operations.hpp"
#include "tests/model/explorer/order.hpp"

namespace jobs::inline JOBS_ABI::detail {

using Order = model::NamedOrder;

#define JOBS_ORDER(name, order) \
  inline const ::jobs::detail::Order name { #name, std::memory_order_##order, __FILE__ }

// std::atomic<T>, without default orders. A compare-exchange fails only if the value differs. A
// weak compare-exchange stands in a loop, where a spurious failure shows nothing new.
template <class T>
  requires std::is_trivially_copyable_v<T> && (sizeof(T) <= sizeof(model::Value))
class Atomic {
 public:
  Atomic() : Atomic(T{}) {}
  Atomic(T initial) { model::create_atomic(this, encode(initial)); }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
  ~Atomic() { model::destroy_atomic(this); }

  T load(model::OrderOfUse order) const { return decode(model::atomic_load(this, order)); }
  void store(T value, model::OrderOfUse order) { model::atomic_store(this, encode(value), order); }

  T exchange(T value, model::OrderOfUse order) {
    return modify(order, [=](T) { return value; });
  }
  T fetch_add(T value, model::OrderOfUse order)
    requires std::integral<T>
  {
    return modify(order, [=](T old) { return static_cast<T>(old + value); });
  }
  T fetch_sub(T value, model::OrderOfUse order)
    requires std::integral<T>
  {
    return modify(order, [=](T old) { return static_cast<T>(old - value); });
  }
  T fetch_or(T value, model::OrderOfUse order)
    requires std::integral<T>
  {
    return modify(order, [=](T old) { return static_cast<T>(old | value); });
  }
  T fetch_and(T value, model::OrderOfUse order)
    requires std::integral<T>
  {
    return modify(order, [=](T old) { return static_cast<T>(old & value); });
  }
  T fetch_xor(T value, model::OrderOfUse order)
    requires std::integral<T>
  {
    return modify(order, [=](T old) { return static_cast<T>(old ^ value); });
  }

  bool compare_exchange_strong(T& expected, T desired, model::OrderOfUse success,
                               model::OrderOfUse failure) {
    model::Value seen = encode(expected);
    const bool exchanged =
        model::atomic_compare_exchange(this, seen, encode(desired), success, failure);
    expected = decode(seen);
    return exchanged;
  }
  bool compare_exchange_weak(T& expected, T desired, model::OrderOfUse success,
                             model::OrderOfUse failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }

 private:
  static model::Value encode(T value) {
    model::Value bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static T decode(model::Value bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  template <class F>
  T modify(model::OrderOfUse order, F&& f) {
    const T old = decode(model::atomic_read_to_modify(this, order));
    model::atomic_write_modified(this, encode(f(old)), order);
    return old;
  }

  char object_ = 0;  // gives the object an address of its own; the value lives in the explorer
};

// Plain data: the explorer checks reads and writes for races and lifetime.
template <class T>
class Plain {
 public:
  Plain() : Plain(T{}) {}
  Plain(T value) : value_(value) { model::create_plain(this); }
  Plain(const Plain& other) : Plain(other.read()) {}
  Plain& operator=(const Plain& other) { return *this = other.read(); }
  ~Plain() { model::destroy_plain(this); }

  Plain& operator=(T value) {
    model::write_plain(this);
    value_ = value;
    return *this;
  }
  operator T() const { return read(); }
  T operator->() const
    requires std::is_pointer_v<T>
  {
    return read();
  }

  Plain& operator+=(T value) { return *this = static_cast<T>(read() + value); }
  Plain& operator-=(T value) { return *this = static_cast<T>(read() - value); }
  Plain& operator|=(T value) { return *this = static_cast<T>(read() | value); }
  Plain& operator&=(T value) { return *this = static_cast<T>(read() & value); }
  Plain& operator++() { return *this += T{1}; }
  Plain& operator--() { return *this -= T{1}; }
  T operator++(int) {
    const T old = read();
    *this = static_cast<T>(old + T{1});
    return old;
  }
  T operator--(int) {
    const T old = read();
    *this = static_cast<T>(old - T{1});
    return old;
  }

 private:
  T read() const {
    model::read_plain(this);
    return value_;
  }

  T value_;
};

inline void full_fence(model::OrderOfUse order) { model::fence(order); }
inline void compiler_fence() {}
inline void cpu_relax() { model::spin(); }

// The pair of jobs/base/asymmetric_fence.hpp. The heavy fence can be weakened like any order. The
// light fence does nothing at all, as on the machine.
namespace asymmetric_fence_order {
JOBS_ORDER(kHeavyFence, seq_cst);
}
inline void light_fence() { model::light_fence(); }
inline bool light_fence_is_free() { return model::light_fence_is_free(); }
inline void heavy_fence() { model::heavy_fence(asymmetric_fence_order::kHeavyFence); }

}  // namespace jobs::inline JOBS_ABI::detail
