// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A StoreLoad barrier whose cost falls on one side. Two threads each store a flag and then look at the other's: with
// light_fence() between the store and the load on the frequent side and heavy_fence() on the rare side, at least one of them
// sees the other (Dekker). Light is a compiler barrier, heavy is membarrier(2), which runs a full barrier in every running
// thread. Where the kernel refuses membarrier both are ordinary seq_cst fences.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

#if !defined(JOBS_MODEL)  // the model has its own pair, which it can drop as a mutant

// Whether light_fence() is light: set by os_linux.cpp before any ordinary static initialiser (only an object of a class can be
// that early), constant afterwards. JOBS_FENCED=1 in the environment turns it off, for tests.
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

// Whether a compiler_fence() would do for light_fence(). Constant.
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
