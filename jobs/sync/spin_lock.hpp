// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SpinLock: for sections of a few instructions that never wait. Lockable as in std.
#pragma once

#include "jobs/base/atomic.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/spin_lock.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::holder_order {
JOBS_ORDER(kHolder, relaxed);  // for checks: everyone compares with itself only, as in owner.hpp
}  // namespace detail::holder_order

// It holds the worker, not only the fiber: whoever comes late computes in a loop, and gives up its time slice if the holder seems to
// have lost its core. So nothing that waits may be called while it is held; a wait that would have to suspend or park then aborts, in
// every build, and so do lock() by the holder and unlock() by another thread. Everything longer wants a Mutex. No order among those who
// spin. May be used by jobs, fibers and external threads alike.
class JOBS_CAPABILITY("spin_lock") JOBS_EXPORT SpinLock {
 public:
  SpinLock() noexcept = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  // One exchange if it is free.
  void lock() noexcept JOBS_ACQUIRE() {
    if (!lock_.try_lock()) [[unlikely]]
      lock_contended();
    locked();
  }
  [[nodiscard]] bool try_lock() noexcept JOBS_TRY_ACQUIRE(true) {
    if (!lock_.try_lock()) return false;
    locked();
    return true;
  }
  // One store. Whoever locks next may destroy it at once.
  void unlock() noexcept JOBS_RELEASE() {
    detail::ThreadState& thread = detail::this_thread();
    if (holder_.load(detail::holder_order::kHolder) != &thread) [[unlikely]]
      not_the_holder();
    holder_.store(nullptr, detail::holder_order::kHolder);
    --thread.spin_locks;
    lock_.unlock();
  }

 private:
  void locked() noexcept {
    detail::ThreadState& thread = detail::this_thread();
    holder_.store(&thread, detail::holder_order::kHolder);
    ++thread.spin_locks;
  }
  JOBS_NOINLINE void lock_contended() noexcept;
  [[noreturn]] JOBS_COLD void not_the_holder() const noexcept;

  detail::SpinLock lock_;
  detail::Atomic<const void*> holder_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI
