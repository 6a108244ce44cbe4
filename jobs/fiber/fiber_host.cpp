// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberHost: the place of a fiber with a rank in the ready list, and the abort of a wait under a
// spin lock.
#include "jobs/fiber/fiber_host.hpp"

#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Inserts `fiber` behind the ready fibers of its rank and of higher ranks. A fiber that was moved
// to the front stays there. pre: has_ready().
void FiberHost::insert_ready(FiberCore& fiber) noexcept {
  if (++overtakings_ > kOvertakings) {
    overtakings_ = 0;
    // The fibers without a rank, and the other lower ones, take turns.
    advances_middle_ = !advances_middle_;
    advanced_ = advances_middle_ && fiber.rank > 1 ? advance_ready(1) : nullptr;
    if (advanced_ == nullptr) advanced_ = advance_ready(0);
  }
  FiberCore* before = first_ready_ == advanced_ ? static_cast<FiberCore*>(first_ready_) : nullptr;
  FiberCore* next = before != nullptr ? before->next_ready : first_ready_;
  for (; next != nullptr && next->rank >= fiber.rank; next = next->next_ready) before = next;
  if (before == nullptr) return push_ready_front(fiber);
  if (next == nullptr) return push_ready(fiber);
  fiber.next_ready = next;
  before->next_ready = &fiber;
}

// Moves the first ready fiber of that rank to the front, and returns it. Returns null if there is
// none.
FiberCore* FiberHost::advance_ready(unsigned rank) noexcept {
  FiberCore* before = nullptr;
  FiberCore* found = first_ready_;
  for (; found != nullptr && found->rank != rank; found = found->next_ready) before = found;
  if (found == nullptr || before == nullptr) return found;
  before->next_ready = static_cast<FiberCore*>(found->next_ready);
  if (last_ready_ == found) last_ready_ = before;
  push_ready_front(*found);
  return found;
}

void FiberHost::suspended_under_spin_lock() const noexcept {
  contract_violation("SpinLock", nullptr, "owned by a fiber or thread that would have to wait");
}

}  // namespace jobs::inline JOBS_ABI::detail
