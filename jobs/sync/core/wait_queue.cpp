// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/core/wait_queue.hpp"

#include "jobs/base/spin.hpp"

namespace jobs::inline JOBS_ABI::detail {

WaitState WaitQueue::lock() noexcept {
  Spin spin;
  WaitState seen{word_.load(wait_queue_order::kGuess)};
  for (;;) {
    if (seen.is_locked()) {
      spin.once();
      seen.word = word_.load(wait_queue_order::kGuess);
    } else if (replace(seen, seen.word | WaitState::kLocked, wait_queue_order::kLock,
                       wait_queue_order::kGuess)) {
      return seen;
    }
  }
}

bool WaitQueue::lock_unless_added(WaitState& seen, std::uint64_t payload,
                                  const Order& order) noexcept {
  Spin spin;
  for (;;) {
    if (seen.flags() == 0) {
      if (replace(seen, seen.word + WaitState::of(payload).word, order, wait_queue_order::kGuess))
        return false;
    } else if (seen.is_locked()) {
      spin.once();
      seen.word = word_.load(wait_queue_order::kGuess);
    } else if (replace(seen, seen.word | WaitState::kLocked, wait_queue_order::kLock,
                       wait_queue_order::kGuess)) {
      return true;
    }
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
