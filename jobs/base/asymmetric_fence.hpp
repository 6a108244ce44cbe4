// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// An asymmetric StoreLoad barrier: the rare side pays for the frequent side. Any thread may call
// it.
//
// Protocol (Dekker): two threads each store a flag and then load the flag of the other thread.
// 1. The frequent side calls light_fence() between its store and its load.
// 2. The rare side calls heavy_fence() between its store and its load.
//
// At least one of the two threads then sees the flag of the other. The light fence is a compiler
// barrier. The heavy fence is membarrier(2), which executes a full barrier in every running thread.
// If the kernel refuses membarrier, both are ordinary seq_cst fences.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

#if !defined(JOBS_MODEL)  // the model has its own pair, which a mutant can remove

// State whether light_fence() is light. os_linux.cpp sets it before any ordinary static
// initialiser; only an object of a class can be initialised that early. It is constant afterwards.
// JOBS_FENCED=1 in the environment turns it off, for tests.
struct AsymmetricMode {
  operator bool() const noexcept { return on; }
  bool on;
};
JOBS_EXPORT extern const AsymmetricMode kAsymmetric;

JOBS_ALWAYS_INLINE void light_fence() noexcept {
  if (kAsymmetric) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    full_fence(std::memory_order_seq_cst);
  }
}

// Returns whether a compiler_fence() suffices in place of light_fence(). Constant.
inline bool light_fence_is_free() noexcept { return kAsymmetric; }

inline void heavy_fence() noexcept {
  if (kAsymmetric) {
    os::membarrier();
  } else {
    full_fence(std::memory_order_seq_cst);
  }
}

#endif

}  // namespace jobs::inline JOBS_ABI::detail
