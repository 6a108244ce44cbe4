// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PrefixChain: turns the sums of neighbouring blocks into the sums of everything before each block,
// added up from left to right. Any thread may bring a sum, in any order, and no thread waits for
// another one. One call of a scan owns the chain (scan.hpp).
//
// A block receives two messages: its own sum, and the sum of everything before it. Each message is
// brought at most once. The thread that brings the second message finds the first one, adds both,
// and brings the result to the next block.
//
//   0 --add()--> kSummed --set_before()--> both
//   0 --set_before()--> kKnown --add()--> both
//   0 --set_before()--> kKnown, seen before the block is added up
//
// In all three cases the last thread brings the sum of both messages to the next block: the caller
// of set_before(), the caller of add(), or the thread that adds up the block.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

namespace prefix_chain_order {
// [prefix_chain.1] Publishes a message to the thread that brings the second one. Partner: kMeet,
//   kSee.
JOBS_ORDER(kMeet, acq_rel);
// [prefix_chain.1] Partner: kMeet.
JOBS_ORDER(kSee, acquire);
}  // namespace prefix_chain_order

// A chain of at most kMaxSlots blocks. `op` may throw or wait. If a message is lost by an
// exception, only the blocks behind it stop.
template <class T, std::size_t kMaxSlots>
class PrefixChain {
 public:
  // `before`: the sum of everything before the first block, if there is any.
  explicit PrefixChain(std::optional<T> before) {
    slots_[0].before = std::move(before);
    // Every thread that gets a reference to the chain sees this store.
    slots_[0].state.store(kKnown, std::memory_order_relaxed);
  }

  // Returns the sum of all blocks before block i, or null if it is unknown. Only the sum before the
  // first block may be empty. The result is for reading only: another thread may be adding to it.
  // `i` may be the number of blocks.
  const std::optional<T>* before(std::size_t i) const noexcept {
    const Slot& slot = slots_[i];
    return (slot.state.load(prefix_chain_order::kSee) & kKnown) != 0 ? &slot.before : nullptr;
  }
  // Brings the sum of block i. pre: the sum before it was unknown a moment ago, so it is not the
  // first block.
  template <class Op>
  void add(std::size_t i, T sum, Op& op) {
    slots_[i].sum.emplace(std::move(sum));
    if (meets(i, kSummed)) set_before(i + 1, up_to_end(i, op), op);
  }
  // Brings the sum of all blocks before block i. pre: block i is not the first one.
  template <class Op>
  void set_before(std::size_t i, T sum, Op& op) {
    for (;; ++i) {
      slots_[i].before.emplace(std::move(sum));
      if (!meets(i, kKnown)) return;
      sum = up_to_end(i, op);
    }
  }

 private:
  static constexpr std::uint8_t kKnown = 1;
  static constexpr std::uint8_t kSummed = 2;
  struct Slot {
    std::optional<T> before;
    std::optional<T> sum;
    Atomic<std::uint8_t> state{0};
  };

  bool meets(std::size_t i, std::uint8_t message) noexcept {
    return slots_[i].state.fetch_or(message, prefix_chain_order::kMeet) != 0;
  }
  template <class Op>
  T up_to_end(std::size_t i, Op& op) {
    Slot& slot = slots_[i];
    return op(T(*slot.before), std::move(*slot.sum));
  }

  // The last element holds the sum of all blocks.
  std::array<Slot, kMaxSlots + 1> slots_{};
};

}  // namespace jobs::inline JOBS_ABI::detail
