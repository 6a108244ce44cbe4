// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SpinLock: for sections of a few instructions that neither wait nor allocate. Meets BasicLockable; any thread may use
// it. Not fair. A holder that loses its CPU delays the others, who then give up their time slices.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace spin_lock_order {
JOBS_ORDER(kAcquire, acquire);  // [L1] partner: kRelease
JOBS_ORDER(kRelease, release);  // [L1] partner: kAcquire
JOBS_ORDER(kWatch, relaxed);    // only says when to try again
}  // namespace spin_lock_order

class SpinLock {
 public:
  void lock() noexcept {
    while (locked_.exchange(true, spin_lock_order::kAcquire)) await_release();
  }
  bool try_lock() noexcept { return !locked_.exchange(true, spin_lock_order::kAcquire); }
  void unlock() noexcept {
    chaos::point();
    locked_.store(false, spin_lock_order::kRelease);
  }

 private:
  JOBS_COLD void await_release() noexcept {
    // The holder needs some 20 ns; if it takes longer it has lost its CPU, perhaps to us.
    constexpr int kSpins = 64;
    for (int spins = 0; locked_.load(spin_lock_order::kWatch); ++spins) {
      if (spins < kSpins) {
        cpu_relax();
      } else {
        os::yield_thread();
      }
    }
  }

  Atomic<bool> locked_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
