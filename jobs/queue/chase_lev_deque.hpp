// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChaseLevDeque: the jobs of one worker. The owner pushes and pops at the bottom, thieves steal at the top.
//
// push(), pop() and pop_if() are for the owner's thread, steal() and looks_empty() for any. Stores pointers and never
// looks through them. Nothing may run concurrently with construction and destruction. Not promised: that steal()
// succeeds when two threads want the same entry (kLost), or that looks_empty() is still true when the caller reads it.
//
// After Chase and Lev (2005) with the orders of Lê et al. (2013), but for two things: the buffer is published with
// release, and the store-load barrier of the owner is its exchange of bottom_, which is cheaper than a fence and
// visible to ThreadSanitizer. README.md has the table of ordering pairs, the proof and the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/node_array.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace deque_order {
JOBS_ORDER(kPushBottom, release);     // [D1] publishes the slot; partner: kStealBottom
JOBS_ORDER(kStealBottom, seq_cst);    // [D1] acquires the slot; [D2] looks at bottom after top
JOBS_ORDER(kStealTop, seq_cst);       // [D2] looks at top before bottom; partners: kPopBottom, kPopTop
JOBS_ORDER(kPopBottom, seq_cst);      // [D2] announces the claim; partners: kStealTop, kStealBottom
JOBS_ORDER(kPopTop, seq_cst);         // [D2] looks at top after that
JOBS_ORDER(kPublishBuffer, release);  // [D3] publishes the copied slots; partner: kStealBuffer
JOBS_ORDER(kStealBuffer, acquire);    // [D3] partner: kPublishBuffer
JOBS_ORDER(kStealTake, release);      // [D4] the slot has been read; partner: kReuse
JOBS_ORDER(kReuse, acquire);          // [D4] slots below top may be overwritten; partner: kStealTake
JOBS_ORDER(kPopTake, relaxed);        // a claim of the last entry needs no more than that one of two exchanges wins
JOBS_ORDER(kRestoreBottom, relaxed);  // the deque is empty: there is nothing to publish
JOBS_ORDER(kLost, relaxed);           // a failed claim tells nothing
JOBS_ORDER(kSlot, relaxed);           // [D1] and [D3] publish it
JOBS_ORDER(kLook, relaxed);           // whoever must not miss a push has a fence of its own (idle protocol)
}  // namespace deque_order

enum class StealOutcome : std::uint8_t {
  kTaken,
  kEmpty,
  kLost,  // somebody else took the entry: there may be more, look again
};

template <class T>
struct StealResult {
  StealOutcome outcome;
  T* item;  // null unless kTaken
};

// Index: tests take a tiny one, so that it wraps. kInitialCapacity: a power of two.
template <class T, class Index = std::int64_t, Index kInitialCapacity = 1024>
class ChaseLevDeque {
  static_assert(std::is_signed_v<Index>, "pop() on an empty deque looks at index top - 1");
  static_assert(kInitialCapacity > 0 && (kInitialCapacity & (kInitialCapacity - 1)) == 0);

 public:
  // node: where its memory is to lie.
  explicit ChaseLevDeque(os::Node node = os::kAnyNode) : ChaseLevDeque(new Buffer(kInitialCapacity, node, nullptr)) {}
  ChaseLevDeque(const ChaseLevDeque&) = delete;
  ChaseLevDeque& operator=(const ChaseLevDeque&) = delete;
  ~ChaseLevDeque() { delete buffer_.load(std::memory_order_relaxed); }  // [own]

  // Throws std::bad_alloc if it has to grow and cannot; then nothing has changed.
  void push(T* item) {
    const Index bottom = bottom_.load(std::memory_order_relaxed);  // [own]
    if (bottom == limit_) [[unlikely]]
      make_room(bottom);
    slot(bottom).store(item, deque_order::kSlot);
    bottom_.store(plus(bottom, 1), deque_order::kPushBottom);
  }

  // The youngest entry; null if there is none.
  T* pop() noexcept {
    const Index bottom = minus(bottom_.load(std::memory_order_relaxed), 1);  // [own]
    return claim(bottom) ? slot(bottom).load(deque_order::kSlot) : nullptr;
  }

  // pop() without its barrier, for a deque that nobody steals from.
  T* pop_alone() noexcept {
    const Index bottom = minus(bottom_.load(std::memory_order_relaxed), 1);       // [own]
    if (minus(bottom, top_.load(std::memory_order_relaxed)) < 0) return nullptr;  // [own]
    bottom_.store(bottom, std::memory_order_relaxed);                             // [own]
    return slot(bottom).load(deque_order::kSlot);
  }

  // Takes the youngest entry if it is `expected`. False: it was stolen, or something else lies at the bottom. The
  // fibers of one worker share its deque, so an index would not identify a job.
  bool pop_if(const T* expected) noexcept {
    const Index bottom = minus(bottom_.load(std::memory_order_relaxed), 1);  // [own]
    // An old pointer may stand in a slot that is not in use, but then claim() fails.
    return slot(bottom).load(deque_order::kSlot) == expected && claim(bottom);
  }

  // Whether pop() would take that one, unless a thief is quicker.
  // pre: `item` was pushed once.
  bool is_youngest(const T* item) noexcept {
    return slot(minus(bottom_.load(std::memory_order_relaxed), 1)).load(deque_order::kSlot) == item;  // [own]
  }

  // The oldest entry.
  StealResult<T> steal() noexcept {
    Index top = top_.load(deque_order::kStealTop);
    const Index bottom = bottom_.load(deque_order::kStealBottom);
    if (minus(bottom, top) <= 0) return {StealOutcome::kEmpty, nullptr};
    // Read before the claim: afterwards the owner may overwrite the slot.
    const Buffer* buffer = buffer_.load(deque_order::kStealBuffer);
    T* item = buffer->slot(top).load(deque_order::kSlot);
    if (!top_.compare_exchange_strong(top, plus(top, 1), deque_order::kStealTake, deque_order::kLost)) {
      return {StealOutcome::kLost, nullptr};
    }
    return {StealOutcome::kTaken, item};
  }

  // May be wrong the next moment. Never misses an entry whose push the caller is ordered after and that is still there.
  bool looks_empty() const noexcept {
    const Index bottom = bottom_.load(deque_order::kLook);
    return minus(bottom, top_.load(deque_order::kLook)) <= 0;
  }

 private:
  // Grown buffers keep their predecessors alive: a thief may still read one. Together those are smaller than the
  // newest.
  struct Buffer {
    Buffer(Index size, os::Node its_node, Buffer* older)
        : mask(minus(size, 1)), node(its_node), slots(static_cast<std::size_t>(size), its_node), previous(older) {}
    Atomic<T*>& slot(Index index) const noexcept { return slots[static_cast<std::size_t>(index & mask)]; }
    Index capacity() const noexcept { return plus(mask, 1); }

    const Index mask;
    const os::Node node;
    const NodeArray<Atomic<T*>> slots;
    const std::unique_ptr<Buffer> previous;
  };

  explicit ChaseLevDeque(Buffer* first)
      : limit_(kInitialCapacity), mask_(first->mask), slots_(first->slots.get()), buffer_(first) {}

  // Indices wrap without undefined behaviour and are compared by their signed difference.
  using Bits = std::make_unsigned_t<Index>;
  static constexpr Index plus(Index a, Index b) noexcept {
    return static_cast<Index>(static_cast<Bits>(static_cast<Bits>(a) + static_cast<Bits>(b)));
  }
  static constexpr Index minus(Index a, Index b) noexcept {
    return static_cast<Index>(static_cast<Bits>(static_cast<Bits>(a) - static_cast<Bits>(b)));
  }

  Atomic<T*>& slot(Index index) noexcept { return slots_[static_cast<std::size_t>(index & mask_)]; }

  // Takes back the entry at `bottom`, which is bottom_ - 1. False: there is none any more, and bottom_ is as before.
  bool claim(Index bottom) noexcept {
    bottom_.exchange(bottom, deque_order::kPopBottom);
    const Index top = top_.load(deque_order::kPopTop);
    return minus(bottom, top) > 0 || claim_last(bottom, top);
  }

  // At most one entry is left, and a thief may want it too.
  JOBS_NOINLINE bool claim_last(Index bottom, Index top) noexcept {
    const bool won =
        bottom == top && top_.compare_exchange_strong(top, plus(top, 1), deque_order::kPopTake, deque_order::kLost);
    bottom_.store(plus(bottom, 1), deque_order::kRestoreBottom);
    return won;
  }

  JOBS_COLD void make_room(Index bottom) {
    const Index top = top_.load(deque_order::kReuse);
    Buffer* buffer = buffer_.load(std::memory_order_relaxed);  // [own]
    if (minus(bottom, top) >= buffer->capacity()) buffer = grow(buffer, bottom, top);
    limit_ = plus(top, buffer->capacity());
  }

  Buffer* grow(Buffer* old, Index bottom, Index top) {
    // The signed difference of two indices must be able to hold a full deque.
    if (old->capacity() > std::numeric_limits<Index>::max() / 2) throw std::bad_alloc();
    Buffer* grown = new Buffer(plus(old->capacity(), old->capacity()), old->node, old);
    for (Index i = top; i != bottom; i = plus(i, 1)) {
      grown->slot(i).store(old->slot(i).load(deque_order::kSlot), deque_order::kSlot);
    }
    mask_ = grown->mask;
    slots_ = grown->slots.get();
    buffer_.store(grown, deque_order::kPublishBuffer);
    return grown;
  }

  // The owner's line. Thieves read bottom_; the rest is the owner's alone.
  alignas(kDestructiveDistance) Atomic<Index> bottom_{0};
  Plain<Index> limit_;  // room for pushes below it: top as last seen + capacity. Spares push() the load of top_
  Plain<Index> mask_;   // copies of the newest buffer's
  Plain<Atomic<T*>*> slots_;
  // The thieves' line.
  alignas(kDestructiveDistance) Atomic<Index> top_{0};
  Atomic<Buffer*> buffer_;  // written by the owner when it grows
};

}  // namespace jobs::inline JOBS_ABI::detail
