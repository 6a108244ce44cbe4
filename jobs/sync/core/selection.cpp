// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/selection.hpp"

#include <functional>

#include "jobs/base/spin.hpp"
#include "jobs/base/thread_safety.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/sync/core/checked_spin_lock.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// After the call no other thread accesses the alternative.
void withdraw(Alternative& alternative) noexcept {
  if (alternative.unlink_self()) return;
  Spin spin;
  while (!alternative.dropped.load(selection_order::kIsDropped)) spin.once();
}

// Returns the lock with the next higher address; several alternatives may have the same lock.
CheckedSpinLock* next_lock(std::span<Alternative* const> alternatives,
                           const CheckedSpinLock* last) noexcept {
  CheckedSpinLock* next = nullptr;
  for (Alternative* alternative : alternatives) {
    CheckedSpinLock* const lock = alternative->list_lock();
    if (lock == nullptr || !std::less<>()(last, lock)) continue;
    if (next == nullptr || std::less<>()(lock, next)) next = lock;
  }
  return next;
}

// Considers the alternatives with a list lock: completes the first that is ready, or links all of
// them, in one step for other threads. The locks are taken in the order of their addresses, so that
// two selections do not wait for each other.
Alternative* try_all_or_link(std::span<Alternative* const> alternatives)
    JOBS_NO_THREAD_SAFETY_ANALYSIS {
  for (auto* lock = next_lock(alternatives, nullptr); lock != nullptr;
       lock = next_lock(alternatives, lock))
    lock->lock();
  Alternative* done = nullptr;
  Waiter* partner = nullptr;
  for (Alternative* alternative : alternatives) {
    if (alternative->list_lock() == nullptr || !alternative->try_locked(partner)) continue;
    done = alternative;
    break;
  }
  for (Alternative* alternative : alternatives) {
    if (done == nullptr && alternative->list_lock() != nullptr)
      static_cast<void>(alternative->link());
  }
  for (auto* lock = next_lock(alternatives, nullptr); lock != nullptr;
       lock = next_lock(alternatives, lock))
    lock->unlock();
  if (partner != nullptr) wake(*partner);
  return done;
}

}  // namespace

Alternative* try_alternatives(std::span<Alternative* const> alternatives) {
  for (Alternative* alternative : alternatives) {
    if (alternative->try_now()) return alternative;
  }
  return nullptr;
}

SelectionLinks link_alternatives(std::span<Alternative* const> alternatives, Selection& selection,
                                 FiberCore& fiber) noexcept {
  for (Alternative* alternative : alternatives) {
    alternative->fiber = &fiber;
    alternative->selection = &selection;
    alternative->dropped.store(false, selection_order::kClaim);  // not shared yet
  }
  SelectionLinks links;
  links.done = try_all_or_link(alternatives);
  if (links.done != nullptr) return links;

  // Alternatives without a lock are linked last: no other thread can decide the selection while the
  // locked alternatives search for partners.
  for (; links.considered < alternatives.size() && links.undecided == nullptr; ++links.considered) {
    Alternative& next = *alternatives[links.considered];
    if (next.list_lock() == nullptr && !next.link()) links.undecided = &next;
  }
  return links;
}

Alternative* settle_alternatives(std::span<Alternative* const> alternatives,
                                 const Selection& selection, const SelectionLinks& links) noexcept {
  const Waiter* const winner = selection.winner.load(selection_order::kClaim);
  Alternative* done = nullptr;
  for (std::size_t index = 0; index < alternatives.size(); ++index) {
    Alternative& alternative = *alternatives[index];
    if (&alternative == winner) {
      done = &alternative;
    } else if (alternative.list_lock() != nullptr ||
               (index < links.considered && &alternative != links.undecided)) {
      withdraw(alternative);
    }
  }
  return done;
}

}  // namespace jobs::inline JOBS_ABI::detail
