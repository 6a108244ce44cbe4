// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberOwners: who destroys what a fiber, its Fiber and its FiberRefs share. The fiber and the Fiber own it from its construction on.
//
// A fiber that ends while its Fiber is there leaves its own part to that: whoever joins it waits for its end in any case, so the
// fiber's last touch is the signal, and no count changes. A fiber whose Fiber is gone drops its part itself. Which of the two it
// is, both decide under one lock:
//   Fiber detaches first   the fiber sees it when it ends
//   fiber ends first       the Fiber sees it when it detaches: it waits for the signal, as if it had joined
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace owners_order {
JOBS_ORDER(kDrop, acq_rel);      // [F1] the last owner destroys what the others wrote
JOBS_ORDER(kSeeAlone, acquire);  // [F1] partner: kDrop
JOBS_ORDER(kAdd, relaxed);       // who has a part may have two
}  // namespace owners_order

class FiberOwners {
 public:
  void add() noexcept { count_.fetch_add(1, owners_order::kAdd); }
  // post: true: that was the last part, the caller destroys.
  [[nodiscard]] bool drop() noexcept { return drop(1); }
  // The Fiber's part and the one that was left to it. After the signal.
  [[nodiscard]] bool drop_both() noexcept { return drop(2); }

  // --- once each, under the lock ---

  // The fiber ends. post: true: its part is the Fiber's now.
  [[nodiscard]] bool leave() noexcept {
    ended_ = true;
    return !detached_;
  }
  // The Fiber will not join. post: false: too late, the fiber's part has been left to it.
  [[nodiscard]] bool detach() noexcept {
    detached_ = true;
    return !ended_;
  }

 private:
  bool drop(std::uint32_t parts) noexcept {
    // The last one is nobody's rival: who has no part cannot add any.
    return count_.load(owners_order::kSeeAlone) == parts || count_.fetch_sub(parts, owners_order::kDrop) == parts;
  }

  Atomic<std::uint32_t> count_{2};
  Plain<bool> ended_{false};
  Plain<bool> detached_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
