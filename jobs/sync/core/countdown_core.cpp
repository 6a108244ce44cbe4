// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/countdown_core.hpp"

#include "jobs/base/spin.hpp"
#include "jobs/sync/core/park.hpp"

namespace jobs::inline JOBS_ABI::detail {

JOBS_NOINLINE WaitStatus CountdownCore::wait(WaitLimit limit, WaitKind kind) {
  return wait_until_open(*this, limit, kind, [&] { return wait(limit, kind); });
}

bool CountdownCore::link(Waiter& waiter) noexcept {
  Spin spin;
  WaitState before{word_.load(countdown_order::kLink)};
  for (;;) {
    if (before.payload() == 0) return false;
    if (before.is_locked()) {
      spin.once();
      before.word = word_.load(countdown_order::kLink);
    } else if (replace(before, before.word | WaitState::kLocked, countdown_order::kLink,
                       countdown_order::kLink)) {
      break;
    }
  }
  list_.push_back(waiter);
  if (unlock(before, countdown_order::kUnlock).payload() != 0) return true;
  list_.remove(
      waiter);  // the core opened under this lock: the opener has left the list to this thread
  release_all();
  return false;
}

bool CountdownCore::unlink(Waiter& waiter) noexcept {
  Spin spin;
  WaitState before{word_.load(wait_queue_order::kGuess)};
  for (;;) {
    if (before.payload() == 0) return false;
    if (before.is_locked()) {
      spin.once();
      before.word = word_.load(wait_queue_order::kGuess);
    } else if (replace(before, before.word | WaitState::kLocked, countdown_order::kLink,
                       wait_queue_order::kGuess)) {
      break;
    }
  }
  const bool on_list = waiter.previous != nullptr;
  if (on_list) list_.remove(waiter);
  const bool others = !list_.empty();
  // As in link(): the opener may have left the list to this thread.
  if (unlock(before, countdown_order::kUnlock).payload() == 0 && others) release_all();
  return on_list;
}

// Precondition: the core is open, the waiters flag is set, the lock bit is clear. Then the list
// belongs to the caller.
void CountdownCore::release_all() noexcept {
  Waiter* first = list_.take_all();
  // Before the first wake-up: a woken waiter may destroy the core, or close it and wait again.
  word_.fetch_sub(WaitState::kWaiters, countdown_order::kClear);
  wake_all(first);
}

bool OnZero::try_now() noexcept { return core_.is_open(); }

bool OnZero::link() noexcept {
  if (core_.link(*this)) return true;
  static_cast<void>(selection->claim(*this));
  return false;
}

}  // namespace jobs::inline JOBS_ABI::detail
