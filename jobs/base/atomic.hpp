// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The atomics facade. All lock-free code is written against Atomic<T>, Plain<T> and named memory orders, so that the model
// checker in tests/model can run the shipping source with every interleaving and every stale read that C++ allows. A simulation
// (jobs/testing.hpp) has its own Atomic<T>: each operation is a point at which another virtual thread may go on.
//
//   Atomic<T>   std::atomic<T>; every operation is a scheduling point in the model.
//   Plain<T>    T itself: data that a protocol protects. In the model each access is checked for races and lifetime.
//   JOBS_ORDER(kName, release)   a memory order with a name, at namespace scope. The name is the tag of the ordering pair in
//               the folder's README; in the model it can be weakened to relaxed, which is how most mutants are made.
//   full_fence(order)            std::atomic_thread_fence. ThreadSanitizer does not understand fences: data must be published
//               by release/acquire operations, fences only decide who sees whose flag first.
//   compiler_fence()             orders what the compiler does, for a protocol in which another thread supplies the barrier.
//   cpu_relax() one step of a spin loop.
#pragma once

#include <atomic>
#include <cstdint>

#include "jobs/base/config.hpp"

#if defined(JOBS_MODEL)

#include "tests/model/explorer/atomic.hpp"

#elif defined(JOBS_SIMULATED)

#include "jobs/base/simulated_atomic.hpp"

#else

namespace jobs::inline JOBS_ABI::detail {

template <class T>
using Atomic = std::atomic<T>;

template <class T>
using Plain = T;

using Order = std::memory_order;

#define JOBS_ORDER(name, order) \
  inline constexpr ::jobs::detail::Order name { std::memory_order_##order }

inline void full_fence(Order order) noexcept {
#if defined(__GNUC__) && !defined(__clang__) && defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtsan"
#endif
  std::atomic_thread_fence(order);
#if defined(__GNUC__) && !defined(__clang__) && defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic pop
#endif
}

JOBS_ALWAYS_INLINE void compiler_fence() noexcept { std::atomic_signal_fence(std::memory_order_seq_cst); }

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace jobs::inline JOBS_ABI::detail

#endif
