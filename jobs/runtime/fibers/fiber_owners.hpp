// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberOwners: decides which owner destroys a FiberControl, which a fiber, its Fiber and its
// FiberRefs share. The fiber and the Fiber own a part each from the construction on; each FiberRef
// owns one part. A FiberControl contains it. Each owner calls it for its own part, from any thread.
//
// The end of a fiber:
//   - If its Fiber exists, the fiber leaves its part to the Fiber. A joining thread waits for the
//     end in any case. So the last access of the fiber is the signal, and no count changes.
//   - If its Fiber is gone, the fiber drops its part itself.
//
// The fiber and the Fiber decide between the two cases under one lock:
//   Fiber detaches first   the fiber sees it when it ends
//   fiber ends first       the Fiber sees it when it detaches: it waits for the signal, as join()
//                          does
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace owners_order {
// [fiber_owners.1] The last owner sees the writes of the other owners. Partners: kDrop, kSeeAlone.
JOBS_ORDER(kDrop, acq_rel);
JOBS_ORDER(kSeeAlone, acquire);  // [fiber_owners.1] Partner: kDrop.
JOBS_ORDER(kAdd, relaxed);       // The caller has a part already.
}  // namespace owners_order

class FiberOwners {
 public:
  void add() noexcept { count_.fetch_add(1, owners_order::kAdd); }
  // Drops one part. post: if it returns true, that was the last part, and the caller destroys.
  [[nodiscard]] bool drop() noexcept { return drop(1); }
  // Drops the part of the Fiber and the part that the fiber left to it. Called after the signal.
  [[nodiscard]] bool drop_both() noexcept { return drop(2); }

  // --- once each, under the lock ---

  // The fiber ends. post: if it returns true, its part belongs to the Fiber.
  [[nodiscard]] bool leave() noexcept {
    ended_ = true;
    return !detached_;
  }
  // The Fiber will not join. post: if it returns false, the fiber has left its part to the Fiber.
  [[nodiscard]] bool detach() noexcept {
    detached_ = true;
    return !ended_;
  }

 private:
  bool drop(std::uint32_t parts) noexcept {
    // The last owner has no competitor: a thread without a part cannot add one.
    return count_.load(owners_order::kSeeAlone) == parts ||
           count_.fetch_sub(parts, owners_order::kDrop) == parts;
  }

  Atomic<std::uint32_t> count_{2};
  Plain<bool> ended_{false};
  Plain<bool> detached_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
