// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Injector: a FIFO queue of jobs that any worker may take: jobs from outside the workers, and
// critical jobs.
//
// Threads: any thread may call every function. The injector never allocates. T has a member
// `Plain<T*> next`, which the injector owns from push() to pop(), and an even address.
//
// Several injectors share a count of the filled injectors. A worker reads this one word before each
// job. The lock orders the changes of one injector, so the count is exact while no thread holds a
// lock.
//
// It is a linked list under a spin lock. Items with a mark may leave it out of order. Jobs pass
// through it once per run(), not once per spawn, and idle workers check it without the lock.
//
// Rejected: a lock-free list. It gains nothing here and needs its own solution for ABA and
// reclamation.
#pragma once

#include <cstdint>
#include <mutex>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace injector_order {
// The lock orders all accesses; looks_empty() only decides whether to acquire it.
JOBS_ORDER(kFirst, relaxed);
JOBS_ORDER(kFilled, relaxed);  // a hint
}  // namespace injector_order

template <class T>
class Injector {
 public:
  // `filled`: the number of injectors that have items. It outlives this object.
  explicit Injector(Atomic<std::uint32_t>& filled) noexcept : filled_(filled) {}
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  // `mark`: pop_marked() may take the item.
  void push(T& item, bool mark = false) noexcept { push_chain(item, item, mark); }

  // Appends the items linked by `next` from first to last; they stay together and in this order.
  // Only the first item may have a mark.
  void push_chain(T& first, T& last, bool mark = false) noexcept {
    last.next = nullptr;
    T* const link = link_to(first, mark);
    const std::lock_guard guard(lock_);
    if (first_.load(injector_order::kFirst) == nullptr) {
      filled_.fetch_add(1, injector_order::kFilled);
      first_.store(link, injector_order::kFirst);
    } else {
      last_->next = link;
    }
    last_ = &last;
  }

  // Removes and returns the oldest item; null if the queue is empty.
  T* pop() noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard guard(lock_);
    T* const item = item_of(first_.load(injector_order::kFirst));
    if (item != nullptr) set_first(item->next);
    return item;
  }

  // Removes and returns the oldest marked item for which matches(item) is true, among the oldest
  // `limit` items of the queue. Returns null if there is none.
  template <class Matches>
  T* pop_marked(unsigned limit, Matches&& matches) noexcept {
    if (looks_empty()) return nullptr;
    const std::lock_guard guard(lock_);
    T* previous = nullptr;
    for (T* link = first_.load(injector_order::kFirst); link != nullptr && limit != 0; --limit) {
      T* const item = item_of(link);
      T* const next = item->next;
      if (is_marked(link) && matches(*item)) {
        if (previous == nullptr) {
          set_first(next);
        } else {
          previous->next = next;
          if (next == nullptr) last_ = previous;
        }
        return item;
      }
      previous = item;
      link = next;
    }
    return nullptr;
  }

  // Returns whether the queue has a marked item for which matches(item) is true among its oldest
  // `limit` items, or more items than that.
  template <class Matches>
  bool may_have_marked(unsigned limit, Matches&& matches) noexcept {
    if (looks_empty()) return false;
    const std::lock_guard guard(lock_);
    T* link = first_.load(injector_order::kFirst);
    for (; link != nullptr && limit != 0; link = item_of(link)->next, --limit) {
      if (is_marked(link) && matches(*item_of(link))) return true;
    }
    return link != nullptr;
  }

  // Returns whether the queue seems empty; the result may be outdated at once. It never misses an
  // item that is still in the queue if the push of that item happens before the call.
  bool looks_empty() const noexcept { return first_.load(injector_order::kFirst) == nullptr; }

 private:
  // A link is the address of an item. The lowest bit is the mark of the item.
  static T* link_to(T& item, bool mark) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(&item) | (mark ? 1 : 0));
  }
  static bool is_marked(T* link) noexcept {
    return (reinterpret_cast<std::uintptr_t>(link) & 1) != 0;
  }
  static T* item_of(T* link) noexcept {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(link) & ~std::uintptr_t{1});
  }

  // The first item has left the queue.
  void set_first(T* link) noexcept {
    if (link == nullptr) filled_.fetch_sub(1, injector_order::kFilled);
    first_.store(link, injector_order::kFirst);
  }

  alignas(kDestructiveDistance) RawSpinLock lock_;
  Atomic<T*> first_{nullptr};  // A link. Written under the lock.
  Plain<T*> last_{nullptr};    // An item. Under the lock; meaningless while first_ is null.
  Atomic<std::uint32_t>& filled_;
};

}  // namespace jobs::inline JOBS_ABI::detail
