// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RawSpinLock: a lock for sections of a few instructions that neither block nor allocate. It meets
// BasicLockable and is not fair. Any thread may use it. If the lock owner loses its CPU, the
// waiting threads leave their CPUs after a short spin (base/spin.hpp).
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/spin.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace raw_spin_lock_order {
JOBS_ORDER(kAcquire, acquire);  // [raw_spin_lock.1] partner: kRelease
JOBS_ORDER(kRelease, release);  // [raw_spin_lock.1] partner: kAcquire
JOBS_ORDER(kWatch, relaxed);    // only decides when to try again
}  // namespace raw_spin_lock_order

class RawSpinLock {
 public:
  void lock() noexcept {
    while (locked_.exchange(true, raw_spin_lock_order::kAcquire)) await_release();
  }
  bool try_lock() noexcept { return !locked_.exchange(true, raw_spin_lock_order::kAcquire); }
  void unlock() noexcept {
    chaos::inject_delay();
    locked_.store(false, raw_spin_lock_order::kRelease);
  }

 private:
  JOBS_COLD void await_release() noexcept {
    for (Spin spin; locked_.load(raw_spin_lock_order::kWatch);) spin.once();
  }

  Atomic<bool> locked_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
