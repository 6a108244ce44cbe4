// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The atomics facade. All lock-free code uses Atomic<T>, Plain<T> and named memory orders.
// Therefore the model checker in tests/model can run the shipping source with every interleaving
// and every stale read that C++ allows. A simulation (jobs/testing.hpp) has its own Atomic<T>:
// before each operation another virtual thread may run.
//
//   Atomic<T>         std::atomic<T>; every operation is a scheduling point in the model.
//   Plain<T>          T itself: data that a protocol protects. The model checks each access for
//                     races and lifetime.
//   JOBS_ORDER(kName, release)
//                     A named memory order, at namespace scope. The README of the folder lists the
//                     name with its ordering pair. The model can weaken the order to relaxed;
//                     most mutants are made in this way.
//   full_fence(order) std::atomic_thread_fence. ThreadSanitizer does not understand fences:
//                     release and acquire operations must publish data. Fences only decide which
//                     thread sees the flag of the other.
//   compiler_fence()  Orders the operations of the compiler, for a protocol in which another
//                     thread supplies the barrier.
//   cpu_relax()       One step of a spin loop.
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

JOBS_ALWAYS_INLINE void compiler_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace jobs::inline JOBS_ABI::detail

#endif
