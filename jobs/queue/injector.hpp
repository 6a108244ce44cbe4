// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Injector: jobs that any worker may take: those that come from outside the workers, and urgent ones. First in, first out; every function is for any thread. T has
// `Plain<T*> next`, which the injector owns from push() to pop(). Never allocates.
//
// A linked list under a spin lock. Jobs come this way once per run(), not once per spawn, and idle workers look without
// the lock, so nothing is gained by a lock-free list, which would need its own answer to ABA and reclamation.
#pragma once

#include <mutex>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/queue/spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace injector_order {
JOBS_ORDER(kFirst, relaxed);  // the lock orders everything; looks_empty() decides only whether to take it
}  // namespace injector_order

template <class T>
class Injector {
 public:
  Injector() = default;
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  void push(T& item) noexcept { push_chain(item, item); }

  // Items linked by `next` from first to last, kept together and in this order.
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

  // The oldest; null if there is none.
  T* pop() noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard guard(lock_);
    T* item = first_.load(injector_order::kFirst);
    if (item != nullptr) first_.store(item->next, injector_order::kFirst);
    return item;
  }

  // May be wrong the next moment. Never misses an item whose push the caller is ordered after and that is still there.
  bool looks_empty() const noexcept { return first_.load(injector_order::kFirst) == nullptr; }

 private:
  alignas(kDestructiveDistance) SpinLock lock_;
  Atomic<T*> first_{nullptr};  // written under the lock
  Plain<T*> last_{nullptr};    // under the lock; meaningless while first_ is null
};

}  // namespace jobs::inline JOBS_ABI::detail
