// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Injector: a FIFO queue of jobs that any worker may take: jobs from outside the workers, and
// urgent jobs.
//
// Threads: any thread may call every function. The injector never allocates. T has a member
// `Plain<T*> next`, which the injector owns from push() to pop().
//
// It is a linked list under a spin lock. Jobs pass through it once per run(), not once per spawn,
// and idle workers check it without the lock.
//
// Rejected: a lock-free list. It gains nothing here and needs its own solution for ABA and
// reclamation.
#pragma once

#include <mutex>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace injector_order {
// The lock orders all accesses; looks_empty() only decides whether to acquire it.
JOBS_ORDER(kFirst, relaxed);
}  // namespace injector_order

template <class T>
class Injector {
 public:
  Injector() = default;
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  void push(T& item) noexcept { push_chain(item, item); }

  // Appends the items linked by `next` from first to last; they stay together and in this order.
  void push_chain(T& first, T& last) noexcept {
    last.next = nullptr;
    const std::lock_guard guard(lock_);
    if (first_.load(injector_order::kFirst) == nullptr) {
      first_.store(&first, injector_order::kFirst);
    } else {
      last_->next = &first;
    }
    last_ = &last;
  }

  // Removes and returns the oldest item; null if the queue is empty.
  T* pop() noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard guard(lock_);
    T* item = first_.load(injector_order::kFirst);
    if (item != nullptr) first_.store(item->next, injector_order::kFirst);
    return item;
  }

  // Returns whether the queue seems empty; the result may be outdated at once. It never misses an
  // item that is still in the queue if the push of that item happens before the call.
  bool looks_empty() const noexcept { return first_.load(injector_order::kFirst) == nullptr; }

 private:
  alignas(kDestructiveDistance) RawSpinLock lock_;
  Atomic<T*> first_{nullptr};  // written under the lock
  Plain<T*> last_{nullptr};    // under the lock; meaningless while first_ is null
};

}  // namespace jobs::inline JOBS_ABI::detail
