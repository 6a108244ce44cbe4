// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PrefixChain: the sums of neighbouring blocks, which come in any order and from any thread, become the sums of all that goes
// before each block, added up from left to right. Nobody waits for anybody.
//
// A block has two messages, its own sum and the sum of all before it. Whoever brings the second one finds the first, and brings
// the sum of both to the next block, and so on. Each message is brought at most once.
//
//   0 --add()--> kSummed --set_before()--> both: who called it brings the sum of both to the next block
//   0 --set_before()--> kKnown --add()--> both: the same
//   0 --set_before()--> kKnown, seen by whoever is to add up the block: brings the sum of both to the next block himself
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

namespace prefix_chain_order {
JOBS_ORDER(kMeet, acq_rel);  // [B1] a message, for whoever brings the second one; partner: kMeet, kSee
JOBS_ORDER(kSee, acquire);   // [B1] partner: kMeet
}  // namespace prefix_chain_order

// For at most so many blocks. `op` may throw or wait; a block whose message was lost that way stops those behind it, no more.
template <class T, std::size_t kMost>
class PrefixChain {
 public:
  // `before`: of what goes before the first block, if there is anything.
  explicit PrefixChain(std::optional<T> before) {
    places_[0].before = std::move(before);
    places_[0].state.store(kKnown, std::memory_order_relaxed);  // whoever gets to see the chain sees this
  }

  // The sum of all before block i (only that of the first one may be empty), if it is known; else null. For reading only: somebody
  // may be adding it up. `i` may be the number of blocks.
  const std::optional<T>* before(std::size_t i) const noexcept {
    const Place& place = places_[i];
    return (place.state.load(prefix_chain_order::kSee) & kKnown) != 0 ? &place.before : nullptr;
  }
  // Block i adds up to `sum`. pre: the sum before it was not known a moment ago; so it is not the first one.
  template <class Op>
  void add(std::size_t i, T sum, Op& op) {
    places_[i].sum.emplace(std::move(sum));
    if (meets(i, kSummed)) set_before(i + 1, up_to_end(i, op), op);
  }
  // All before block i, which is not the first, adds up to `sum`.
  template <class Op>
  void set_before(std::size_t i, T sum, Op& op) {
    for (;; ++i) {
      places_[i].before.emplace(std::move(sum));
      if (!meets(i, kKnown)) return;
      sum = up_to_end(i, op);
    }
  }

 private:
  static constexpr std::uint8_t kKnown = 1;
  static constexpr std::uint8_t kSummed = 2;
  struct Place {
    std::optional<T> before;
    std::optional<T> sum;
    Atomic<std::uint8_t> state{0};
  };

  bool meets(std::size_t i, std::uint8_t message) noexcept {
    return places_[i].state.fetch_or(message, prefix_chain_order::kMeet) != 0;
  }
  template <class Op>
  T up_to_end(std::size_t i, Op& op) {
    Place& place = places_[i];
    return op(T(*place.before), std::move(*place.sum));
  }

  std::array<Place, kMost + 1> places_{};  // the last one is for the sum of all
};

}  // namespace jobs::inline JOBS_ABI::detail
