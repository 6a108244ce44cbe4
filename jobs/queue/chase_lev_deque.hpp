// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChaseLevDeque: the jobs of one worker. The owner pushes and pops at the bottom, thieves steal at the top.
//
// push(), pop(), pop_if() and share() are for the owner's thread; steal(), raid() and the looks for any. Stores pointers and
// never looks through them. Nothing may run concurrently with construction and destruction. Not promised: that steal() succeeds
// when two threads want the same entry (kLost), or that looks_empty() is still true when the caller reads it.
//
// The deque is hidden or shared. Shared it is that of Chase and Lev (2005) with the orders of Lê et al. (2013), but for two things:
// the buffer is published with release, and the store-load barrier of the owner is its exchange of bottom_, which is cheaper
// than a fence and visible to ThreadSanitizer. Hidden, nobody steals, and the owner takes by a store and a load. Thieves that want
// some ask for it by closing a gate that the owner passes with each take; it shares the deque then, and hides it again when nobody
// has stolen for a while. Is it busy with other things, a thief may raid: share it from outside, which costs a heavy_fence().
// README.md has the table of ordering pairs, the proof and the figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/hand_over.hpp"
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
JOBS_ORDER(kTakeBottom, release);     // [D5] the slots below bottom are still published; partner: kStealBottom
JOBS_ORDER(kShare, release);          // [D6] the owner's last take before it; partner: kStealTop
JOBS_ORDER(kRaid, release);           // [D6] the same for a raider, after its barrier; partner: kStealTop
JOBS_ORDER(kHide, release);           // [D7] the gate was opened before; partner: kSeeHidden
JOBS_ORDER(kSeeHidden, acquire);      // [D7] the gate is closed after that; partner: kHide
JOBS_ORDER(kGate, relaxed);           // the compiler's and the heavy fence order it
JOBS_ORDER(kOwnLook, relaxed);        // a stale value makes the compare-exchange that follows fail
JOBS_ORDER(kRestoreBottom, relaxed);  // the deque is empty: there is nothing to publish
JOBS_ORDER(kLost, relaxed);           // a failed claim tells nothing
JOBS_ORDER(kSlot, relaxed);           // [D1] and [D3] publish it
JOBS_ORDER(kLook, relaxed);           // whoever must not miss a push has a fence of its own (idle protocol)
}  // namespace deque_order

enum class StealOutcome : std::uint8_t {
  kTaken,
  kEmpty,
  kLost,    // somebody else took the entry: there may be more, look again
  kHidden,  // there may be some; the owner has been asked for it
};

// When the owner of a deque pays for a store-load barrier.
enum class OwnerBarrier : std::uint8_t {
  kAlways,      // the deque is never hidden
  kWhenShared,  // pre: light_fence_is_free(), or nobody ever raids
};

template <class T>
struct StealResult {
  StealOutcome outcome;
  T* item;  // null unless kTaken
};

// Index: tests take a tiny one, so that it wraps. kInitialCapacity: a power of two. kCalmTakes: so many takes without a theft, and
// a shared deque is hidden again.
template <class T, class Index = std::int64_t, Index kInitialCapacity = 1024, unsigned kCalmTakes = 64>
class ChaseLevDeque {
  static_assert(std::is_signed_v<Index>, "pop() on an empty deque looks at index top - 1");
  static_assert(kInitialCapacity > 0 && (kInitialCapacity & (kInitialCapacity - 1)) == 0);

 public:
  // node: where its memory is to lie.
  explicit ChaseLevDeque(OwnerBarrier barrier, os::Node node = os::kAnyNode)
      : ChaseLevDeque(barrier, new Buffer(kInitialCapacity, node, nullptr)) {}
  ChaseLevDeque(const ChaseLevDeque&) = delete;
  ChaseLevDeque& operator=(const ChaseLevDeque&) = delete;
  ~ChaseLevDeque() {
    Buffer* buffer = buffer_.load(std::memory_order_relaxed);  // [own]
    while (buffer != nullptr) {
      const Buffer* const newest = buffer;
      buffer = buffer->previous;
      delete newest;
    }
  }

  // --- owner ---
  // Throws std::bad_alloc if it has to grow and cannot; then nothing has changed.
  JOBS_TAG_OF_MODE void push(T* item) {
    if (try_push(item)) return;
    make_room(bottom_.load(std::memory_order_relaxed));  // [own]
    static_cast<void>(try_push(item));
  }

  // As push(), if there is room. False: nothing has happened.
  JOBS_ALWAYS_INLINE bool try_push(T* item) noexcept {
    const Index bottom = bottom_.load(std::memory_order_relaxed);  // [own]
    if (bottom == limit_) [[unlikely]]
      return false;
    slot(bottom).store(item, deque_order::kSlot);
    bottom_.store(plus(bottom, 1), deque_order::kPushBottom);
    return true;
  }

  // The youngest entry; null if there is none.
  T* pop() noexcept {
    const Index youngest = minus(bottom_.load(std::memory_order_relaxed), 1);  // [own]
    return take(youngest) ? slot(youngest).load(deque_order::kSlot) : nullptr;
  }

  // Takes the youngest entry if it is `expected`. False: it was stolen, or something else lies at the bottom. The
  // fibers of one worker share its deque, so an index would not identify a job.
  JOBS_ALWAYS_INLINE bool pop_if(const T* expected) noexcept {
    const Index youngest = minus(bottom_.load(std::memory_order_relaxed), 1);  // [own]
    // An old pointer may stand in a slot that is not in use, but then take() fails.
    return slot(youngest).load(deque_order::kSlot) == expected && take(youngest);
  }

  // Whether pop() would take that one, unless a thief is quicker.
  // pre: `item` was pushed once.
  bool is_youngest(const T* item) noexcept {
    return slot(minus(bottom_.load(std::memory_order_relaxed), 1)).load(deque_order::kSlot) == item;  // [own]
  }

  // Lets thieves steal without asking: somebody looks for work.
  void share() noexcept {
    Word word = top_.load(deque_order::kOwnLook);
    if (is_shared(word)) return;
    close(bottom_.load(std::memory_order_relaxed));  // [own]
    // It fails if a raider was faster.
    top_.compare_exchange_strong(word, word | kShared, deque_order::kShare, deque_order::kLost);
  }

  // --- any thread ---
  // The oldest entry.
  StealResult<T> steal() noexcept {
    Word word = top_.load(deque_order::kStealTop);
    const Index bottom = bottom_.load(deque_order::kStealBottom);
    if (!is_shared(word)) {
      if (distance(word, bottom) == 0) return {StealOutcome::kEmpty, nullptr};
      if (!is_closed(gate_.load(deque_order::kGate), bottom)) close(bottom);
      return {StealOutcome::kHidden, nullptr};
    }
    if (distance(word, bottom) <= 0) return {StealOutcome::kEmpty, nullptr};
    // Read before the claim: afterwards the owner may overwrite the slot.
    const Buffer* buffer = buffer_.load(deque_order::kStealBuffer);
    T* item = buffer->slot(top_of(word)).load(deque_order::kSlot);
    chaos::point();
    if (chaos::strikes()) return {StealOutcome::kLost, nullptr};
    if (!top_.compare_exchange_strong(word, after_theft(word), deque_order::kStealTake, deque_order::kLost)) {
      return {StealOutcome::kLost, nullptr};
    }
    return {StealOutcome::kTaken, item};
  }

  // Shares a hidden deque whose owner does not answer. Costs a heavy_fence(), interrupts all threads of the process for a moment, and
  // nobody waits for a raider that sleeps.
  void raid() noexcept {
    Word word = top_.load(deque_order::kSeeHidden);
    if (is_shared(word)) return;
    close(bottom_.load(std::memory_order_relaxed));  // any value near it will do
    heavy_fence();
    // It fails if the owner was faster.
    top_.compare_exchange_strong(word, word | kShared, deque_order::kRaid, deque_order::kLost);
  }

  // How many entries there are, more or less: for the moment in which the owner hides the deque, none.
  std::size_t approximate_size() const noexcept {
    const Index bottom = bottom_.load(deque_order::kLook);
    const Index size = distance(top_.load(deque_order::kLook), bottom);
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }

  // May be wrong the next moment. Never misses an entry whose push the caller is ordered after and that is still there.
  bool looks_empty() const noexcept {
    const Index bottom = bottom_.load(deque_order::kLook);
    // Not "<= 0": bottom is far below top for a moment when the owner hides the deque.
    return distance(top_.load(deque_order::kLook), bottom) == 0;
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
    Buffer* const previous;
  };

  ChaseLevDeque(OwnerBarrier barrier, Buffer* first)
      : gate_(barrier == OwnerBarrier::kAlways ? kFar : Index{0}),
        limit_(kInitialCapacity),
        mask_(first->mask),
        slots_(first->slots.get()),
        may_hide_(barrier == OwnerBarrier::kWhenShared),
        top_(barrier == OwnerBarrier::kAlways ? kShared : Word{0}),
        buffer_(first) {}

  // Indices wrap without undefined behaviour and are compared by their signed difference.
  using Word = std::make_unsigned_t<Index>;
  static constexpr Index plus(Index a, Index b) noexcept {
    return static_cast<Index>(static_cast<Word>(static_cast<Word>(a) + static_cast<Word>(b)));
  }
  static constexpr Index minus(Index a, Index b) noexcept {
    return static_cast<Index>(static_cast<Word>(static_cast<Word>(a) - static_cast<Word>(b)));
  }

  // The word of the top: twice the index of the oldest entry, plus one if the deque is shared. It only ever grows, so nobody
  // takes an old value for the present one.
  static constexpr Word kShared = 1;
  static constexpr bool is_shared(Word word) noexcept { return (word & kShared) != 0; }
  static constexpr Index top_of(Word word) noexcept { return static_cast<Index>(word >> 1); }
  static constexpr Word after_theft(Word word) noexcept { return static_cast<Word>(word + 2); }
  // From top to `index`. The word has one bit less of the index, hence twice both.
  static constexpr Index distance(Word word, Index index) noexcept {
    const auto twice = static_cast<Word>(static_cast<Word>(index) << 1);
    return static_cast<Index>(minus(static_cast<Index>(twice), static_cast<Index>(word & ~kShared)) / 2);
  }

  // The gate is open if it is top: what lies above it is the owner's. It is closed if it is far above all indices.
  static constexpr Index kFar = std::numeric_limits<Index>::max() / 2 + 1;
  static constexpr bool is_closed(Index gate, Index bottom) noexcept { return minus(gate, bottom) > kFar / 2; }
  void close(Index near) noexcept { gate_.store(plus(near, kFar), deque_order::kGate); }

  Atomic<T*>& slot(Index index) noexcept { return slots_[static_cast<std::size_t>(index & mask_)]; }

  // Takes back the entry at `index`, which is bottom_ - 1. False: there is none any more, and bottom_ is as before.
  JOBS_ALWAYS_INLINE bool take(Index index) noexcept {
    bottom_.store(index, deque_order::kTakeBottom);
    compiler_fence();  // a raid supplies the other half
    if (minus(index, gate_.load(deque_order::kGate)) >= 0) [[likely]]
      return true;
    return take_with_barrier(index);
  }

  // The gate is closed, or there is no entry.
  JOBS_NOINLINE bool take_with_barrier(Index index) noexcept {
    Word word = top_.load(deque_order::kOwnLook);
    if (is_shared(word)) return claim(index);
    if (distance(word, index) < 0) {
      bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
      return false;
    }
    // Somebody has asked. Whoever sees that the deque is shared sees that this entry is gone, too.
    if (top_.compare_exchange_strong(word, word | kShared, deque_order::kShare, deque_order::kLost)) return true;
    return claim(index);  // a raider was faster
  }

  // take() in a shared deque.
  bool claim(Index index) noexcept {
    bottom_.exchange(index, deque_order::kPopBottom);
    const Word word = top_.load(deque_order::kPopTop);
    const Index others = distance(word, index);
    if (others <= 0) return claim_last(index, word);
    if (is_calm(word)) hide(word);
    return true;
  }

  // At most one entry is left, and a thief may want it too.
  bool claim_last(Index index, Word word) noexcept {
    chaos::point();
    const bool won = distance(word, index) == 0 &&
                     top_.compare_exchange_strong(word, after_theft(word), deque_order::kPopTake, deque_order::kLost);
    bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
    if (won && is_calm(word)) hide(after_theft(word));
    if (won) seen_ = after_theft(word);  // that was no thief
    return won;
  }

  // Whether nobody has stolen during the last takes.
  bool is_calm(Word word) noexcept {
    if (word != seen_) {
      seen_ = word;
      calm_takes_ = 0;
    }
    return ++calm_takes_ >= kCalmTakes && may_hide_;
  }

  // The owner between two takes. All indices go up by so much that the word is new, and that bottom never equals top before both
  // have been written; the slots stay where they are.
  void hide(Word word) noexcept {
    const Index bottom = bottom_.load(std::memory_order_relaxed);  // [own]
    const Index top = minus(bottom, distance(word, bottom));
    const Index shift = plus(plus(mask_, 1), plus(mask_, 1));
    const auto hidden = static_cast<Word>(static_cast<Word>(plus(shift, shift)) + word - kShared);
    calm_takes_ = 0;
    gate_.store(plus(top, shift), deque_order::kGate);
    if (!top_.compare_exchange_strong(word, hidden, deque_order::kHide, deque_order::kLost)) {
      close(bottom);  // a thief has come; where it stands now, no entry reaches it before make_room() closes it, too
      return;
    }
    bottom_.store(plus(bottom, shift), deque_order::kPushBottom);
    limit_ = plus(limit_, shift);
  }

  JOBS_COLD JOBS_TAG_OF_MODE void make_room(Index bottom) {
    const Word word = top_.load(deque_order::kReuse);
    const Index top = minus(bottom, distance(word, bottom));
    if (is_shared(word)) close(bottom);                        // it stays far above
    Buffer* buffer = buffer_.load(std::memory_order_relaxed);  // [own]
    if (minus(bottom, top) >= buffer->capacity()) buffer = grow(buffer, bottom, top);
    limit_ = plus(top, buffer->capacity());
  }

  JOBS_TAG_OF_MODE Buffer* grow(Buffer* old, Index bottom, Index top) {
    // All differences must fit: of the entries of a full deque, hidden and shared, and of a closed gate.
    if (old->capacity() > std::numeric_limits<Index>::max() / 16) JOBS_THROW(std::bad_alloc());
    [[maybe_unused]] const sanitizer::Unwatched buffer;  // all fibers of the owner will touch it
    Buffer* grown = new Buffer(plus(old->capacity(), old->capacity()), old->node, old);
    for (Index i = top; i != bottom; i = plus(i, 1)) {
      grown->slot(i).store(old->slot(i).load(deque_order::kSlot), deque_order::kSlot);
    }
    mask_ = grown->mask;
    slots_ = grown->slots.get();
    buffer_.store(grown, deque_order::kPublishBuffer);
    return grown;
  }

  // The owner's line. Thieves read bottom_ and close gate_; the rest is the owner's alone.
  alignas(kDestructiveDistance) Atomic<Index> bottom_{0};
  Atomic<Index> gate_;
  Plain<Index> limit_;  // room for pushes below it: top as last seen + capacity. Spares push() the load of top_
  Plain<Index> mask_;   // copies of the newest buffer's
  Plain<Atomic<T*>*> slots_;
  Plain<Word> seen_{0};  // the top at the last take with a barrier
  Plain<unsigned> calm_takes_{0};
  const bool may_hide_;
  // The thieves' line.
  alignas(kDestructiveDistance) Atomic<Word> top_;
  Atomic<Buffer*> buffer_;  // written by the owner when it grows
};

}  // namespace jobs::inline JOBS_ABI::detail
