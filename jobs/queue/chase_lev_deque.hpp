// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChaseLevDeque: the work-stealing deque of one worker context. The owner pushes and pops at the
// bottom; thieves steal at the top.
//
// Threads: only the owner's thread calls push(), try_push(), pop(), pop_oldest(), pop_if(),
// is_youngest(), publish(), and the functions that shrink the deque. Any thread may call steal(),
// force_publish(), looks_empty() and approximate_size(). No call may run concurrently with
// construction or destruction.
//
// The deque stores pointers and never dereferences them. steal() may fail with kLost if two threads
// compete for one entry. The result of looks_empty() may be outdated when the caller reads it.
//
// The deque is private or public.
// - Public: thieves steal. It is the deque of Chase and Lev (2005) with the orders of Lê et al.
//   (2013) and two changes. The buffer is published with release. The store-load barrier of the
//   owner is its exchange of bottom_, which is cheaper than a fence and visible to ThreadSanitizer.
// - Private: thieves do not steal, and the owner takes an entry by a store and a load.
//
// A thief that finds a private deque raises its split point, which the owner compares with the
// index of every entry that it takes. The owner then publishes the deque. The owner makes the deque
// private again after kUnstolenStreak takes without a theft. If the owner runs a long job, a thief
// may force the publication with force_publish(), which costs one heavy_fence().
//
// README.md has the protocol, the table of ordering pairs, the proof, the figures and the rejected
// alternatives. A load with the mark [own] is relaxed because the owner reads its own store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <type_traits>

#include "jobs/base/annotate.hpp"
#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/queue/node_array.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace deque_order {
JOBS_ORDER(kPushBottom, release);   // [deque.1] publishes the slot; partner: kStealBottom
JOBS_ORDER(kStealBottom, seq_cst);  // [deque.1] acquires the slot; [deque.2] reads bottom after top
// [deque.2] reads top before bottom; partners: kPopBottom, kPopTop.
JOBS_ORDER(kStealTop, seq_cst);
// [deque.2] announces the claim; partners: kStealTop, kStealBottom.
JOBS_ORDER(kPopBottom, seq_cst);
JOBS_ORDER(kPopTop, seq_cst);         // [deque.2] reads top after the claim
JOBS_ORDER(kPublishBuffer, release);  // [deque.3] publishes the copied slots; partner: kStealBuffer
// [deque.3] acquires the copied slots; partner: kPublishBuffer.
JOBS_ORDER(kStealBuffer, acquire);
JOBS_ORDER(kStealTake, release);  // [deque.4] after the read of the slot; partner: kReuse
// [deque.4] before a slot below top is overwritten; partner: kStealTake.
JOBS_ORDER(kReuse, acquire);
// The claim of the last entry only needs one winner of two exchanges.
JOBS_ORDER(kPopTake, relaxed);
// [deque.5] keeps the slots below bottom published; partner: kStealBottom.
JOBS_ORDER(kTakeBottom, release);
JOBS_ORDER(kPublish, release);  // [deque.6] after the owner's last private take; partner: kStealTop
// [deque.6] after the barrier of the thief that forces it; partner: kStealTop.
JOBS_ORDER(kForcePublish, release);
// [deque.7] after the split point was lowered; partner: kSeePrivate.
JOBS_ORDER(kMakePrivate, release);
JOBS_ORDER(kSeePrivate,
           acquire);            // [deque.7] before the split point is raised; partner: kMakePrivate
JOBS_ORDER(kSplit, relaxed);    // ordered by the compiler fence and the heavy fence
JOBS_ORDER(kOwnLoad, relaxed);  // a stale value makes the compare-exchange that follows fail
JOBS_ORDER(kRestoreBottom, relaxed);  // the deque is empty: the store publishes no entry
JOBS_ORDER(kLost, relaxed);           // a failed claim reads no data
JOBS_ORDER(kSlot, relaxed);           // [deque.1] and [deque.3] publish it
// A caller that must not miss a push has its own fence (idle protocol).
JOBS_ORDER(kLook, relaxed);
}  // namespace deque_order

enum class StealStatus : std::uint8_t {
  kTaken,
  kEmpty,
  kLost,     // another thread took the entry; the deque may have more entries: retry
  kPrivate,  // private and perhaps not empty; the thief has requested publication
};

// When the owner of a deque pays for a store-load barrier.
enum class OwnerBarrier : std::uint8_t {
  kAlways,      // the deque is always public
  kWhenPublic,  // pre: light_fence_is_free(), or no thread calls force_publish()
};

template <class T>
struct StealResult {
  StealStatus status;
  T* item;  // null unless kTaken
};

// T: type of the entries. Index: tests use a small type, so that indices wrap. kInitialCapacity: a
// power of two. kUnstolenStreak: length of the unstolen streak, in takes, after which a public
// deque becomes private.
template <class T, class Index = std::int64_t, Index kInitialCapacity = 1024,
          unsigned kUnstolenStreak = 64>
class ChaseLevDeque {
  static_assert(std::is_signed_v<Index>, "pop() on an empty deque looks at index top - 1");
  static_assert(kInitialCapacity > 0 && (kInitialCapacity & (kInitialCapacity - 1)) == 0);

 public:
  // node: memory node for the buffers.
  explicit ChaseLevDeque(OwnerBarrier barrier, os::Node node = os::kAnyNode)
      : ChaseLevDeque(barrier, new Buffer(kInitialCapacity, node)) {}
  ChaseLevDeque(const ChaseLevDeque&) = delete;
  ChaseLevDeque& operator=(const ChaseLevDeque&) = delete;
  ~ChaseLevDeque() {
    const Buffer* buffer = first_;
    while (buffer != nullptr) {
      const Buffer* const smallest = buffer;
      buffer = buffer->larger;
      delete smallest;
    }
  }

  // --- Owner ---

  // Appends an entry. Throws std::bad_alloc if the buffer has to grow and cannot; the deque is then
  // unchanged.
  JOBS_TAG_OF_MODE void push(T* item) {
    if (try_push(item)) return;
    make_room(bottom_.load(std::memory_order_relaxed));  // [own]
    static_cast<void>(try_push(item));
  }

  // Appends an entry if the buffer has room. Returns false and changes nothing if it has not.
  JOBS_ALWAYS_INLINE bool try_push(T* item) noexcept {
    const Index bottom = bottom_.load(std::memory_order_relaxed);  // [own]
    if (bottom == limit_) [[unlikely]]
      return false;
    slot(bottom).store(item, deque_order::kSlot);
    bottom_.store(plus(bottom, 1), deque_order::kPushBottom);
    return true;
  }

  // Removes and returns the youngest entry; null if the deque is empty.
  T* pop() noexcept {
    const Index youngest = minus(bottom_.load(std::memory_order_relaxed), 1);  // [own]
    return take(youngest) ? slot(youngest).load(deque_order::kSlot) : nullptr;
  }

  // Removes and returns the oldest entry, as a thief does; null if there are fewer than two
  // entries. Publishes the deque, because only entries of a public deque are taken at the top.
  T* pop_oldest() noexcept {
    if (approximate_size() < 2) return nullptr;
    publish();
    StealResult<T> result = steal();
    while (result.status == StealStatus::kLost) result = steal();
    return result.item;
  }

  // Takes the youngest entry if it is `expected`. Returns false if that entry was stolen or if
  // another entry lies at the bottom. An index would not identify a job, because the fibers of one
  // worker share its deque.
  JOBS_ALWAYS_INLINE bool pop_if(const T* expected) noexcept {
    const Index youngest = minus(bottom_.load(std::memory_order_relaxed), 1);  // [own]
    // An unused slot may hold an old pointer that compares equal, but then take() fails.
    return slot(youngest).load(deque_order::kSlot) == expected && take(youngest);
  }

  // Returns whether pop() would take `item`, unless a thief steals it first. pre: `item` was pushed
  // once.
  bool is_youngest(const T* item) noexcept {
    // [own]
    return slot(minus(bottom_.load(std::memory_order_relaxed), 1)).load(deque_order::kSlot) == item;
  }

  // Publishes the deque: thieves then steal without a request. The owner calls it when it learns
  // that a thread searches for work.
  void publish() noexcept {
    Word word = top_.load(deque_order::kOwnLoad);
    if (is_public(word)) return;
    require_claim(bottom_.load(std::memory_order_relaxed));  // [own]
    // Fails if a forced publication came first.
    top_.compare_exchange_strong(word, word | kPublic, deque_order::kPublish, deque_order::kLost);
  }

  // Moves the entries to the first ring, if they fit, and returns the memory of all larger rings to
  // the system. README.md has the proof.
  JOBS_COLD void shrink() noexcept {
    const Index bottom = bottom_.load(std::memory_order_relaxed);  // [own]
    const Index top = minus(bottom, distance(top_.load(deque_order::kReuse), bottom));
    Buffer* const buffer = buffer_.load(std::memory_order_relaxed);  // [own]
    is_watched_ = false;
    if (buffer == first_ || minus(bottom, top) > kInitialCapacity) return;
    move_entries(*buffer, *first_, bottom, top);
    limit_ = plus(top, kInitialCapacity);
    for (Buffer* larger = first_->larger; larger != nullptr; larger = larger->larger)
      larger->discard();
    grown_bytes_ = 0;
  }
  // Begins to watch whether the deque needs more than its first ring.
  void watch() noexcept {
    if (!is_grown()) return;
    is_watched_ = true;
    limit_ = bottom_.load(std::memory_order_relaxed);  // [own] The next push calls make_room().
  }
  // Shrinks the deque if it has needed no more than its first ring since watch().
  void shrink_if_unused() noexcept {
    if (is_watched_) shrink();
  }
  // The next try_push() fails, unless the owner takes an entry before. It changes nothing else.
  void refuse_next_push() noexcept {
    limit_ = bottom_.load(std::memory_order_relaxed);  // [own]
  }
  // Returns whether the current ring is larger than the first.
  bool is_grown() const noexcept { return grown_bytes_ != 0; }
  // Bytes of the rings that shrink() would return to the system.
  std::size_t grown_bytes() const noexcept { return grown_bytes_; }

  // --- Any thread ---

  // Takes the oldest entry.
  StealResult<T> steal() noexcept {
    Word word = top_.load(deque_order::kStealTop);
    const Index bottom = bottom_.load(deque_order::kStealBottom);
    if (!is_public(word)) {
      if (is_top(word, bottom)) return {StealStatus::kEmpty, nullptr};
      if (!is_claim_required(split_.load(deque_order::kSplit), bottom)) require_claim(bottom);
      return {StealStatus::kPrivate, nullptr};
    }
    if (distance(word, bottom) <= 0) return {StealStatus::kEmpty, nullptr};
    // Read before the claim: after the claim, the owner may overwrite the slot.
    const Buffer* buffer = buffer_.load(deque_order::kStealBuffer);
    T* item = buffer->slot(top_of(word)).load(deque_order::kSlot);
    // The owner has shrunk the deque, and discarded this buffer.
    if (item == nullptr) [[unlikely]]
      return {StealStatus::kLost, nullptr};
    chaos::inject_delay();
    if (chaos::injects_failure()) return {StealStatus::kLost, nullptr};
    if (!top_.compare_exchange_strong(word, after_theft(word), deque_order::kStealTake,
                                      deque_order::kLost)) {
      return {StealStatus::kLost, nullptr};
    }
    return {StealStatus::kTaken, item};
  }

  // Forces the publication of a private deque if its owner does not react to a request. It costs
  // one heavy_fence(), which interrupts all running threads of the process. It holds no resource:
  // if the caller is preempted in between, no other thread waits for it.
  void force_publish() noexcept {
    Word word = top_.load(deque_order::kSeePrivate);
    if (is_public(word)) return;
    require_claim(bottom_.load(std::memory_order_relaxed));  // any value near bottom suffices
    heavy_fence();
    // Fails if the owner published the deque first.
    top_.compare_exchange_strong(word, word | kPublic, deque_order::kForcePublish,
                                 deque_order::kLost);
  }

  // Approximate number of entries. While the owner makes the deque private, the result may be 0.
  std::size_t approximate_size() const noexcept {
    const Index bottom = bottom_.load(deque_order::kLook);
    const Index size = distance(top_.load(deque_order::kLook), bottom);
    return size > 0 ? static_cast<std::size_t>(size) : 0;
  }

  // Returns whether the deque seems empty; the result may be outdated at once. It never misses an
  // entry that is still in the deque if the push of that entry happens before the call.
  bool looks_empty() const noexcept {
    const Index bottom = bottom_.load(deque_order::kLook);
    // Not "<= 0": while the owner makes the deque private, bottom is far below top for a moment.
    return is_top(top_.load(deque_order::kLook), bottom);
  }

 private:
  // The slots. All buffers live as long as the deque, because a thief may still read one. Each is
  // twice as large as the previous one. A deque that grows again uses them again.
  struct Buffer : HeapObject<Buffer> {
    Buffer(Index size, os::Node its_node)
        : mask(minus(size, 1)), node(its_node), slots(static_cast<std::size_t>(size), its_node) {}
    Atomic<T*>& slot(Index index) const noexcept {
      return slots[static_cast<std::size_t>(index & mask)];
    }
    Index capacity() const noexcept { return plus(mask, 1); }
    std::size_t bytes() const noexcept {
      return static_cast<std::size_t>(capacity()) * sizeof(Atomic<T*>);
    }
    // Sets all slots to null, and releases their memory. A thief that reads null tries again.
    void discard() noexcept {
      if (slots.discard()) return;
      for (Index i = 0; i != capacity(); i = plus(i, 1)) slot(i).store(nullptr, deque_order::kSlot);
    }

    const Index mask;
    const os::Node node;
    const NodeArray<Atomic<T*>> slots;
    Buffer* larger = nullptr;  // Only the owner accesses it.
  };

  ChaseLevDeque(OwnerBarrier barrier, Buffer* first)
      : split_(barrier == OwnerBarrier::kAlways ? kFar : Index{0}),
        limit_(kInitialCapacity),
        mask_(first->mask),
        slots_(first->slots.get()),
        may_be_private_(barrier == OwnerBarrier::kWhenPublic),
        first_(first),
        top_(barrier == OwnerBarrier::kAlways ? kPublic : Word{0}),
        buffer_(first) {}

  // Indices wrap without undefined behaviour and are compared by their signed difference.
  using Word = std::make_unsigned_t<Index>;
  static constexpr Index plus(Index a, Index b) noexcept {
    return static_cast<Index>(static_cast<Word>(static_cast<Word>(a) + static_cast<Word>(b)));
  }
  static constexpr Index minus(Index a, Index b) noexcept {
    return static_cast<Index>(static_cast<Word>(static_cast<Word>(a) - static_cast<Word>(b)));
  }

  // The word of the top: twice the index of the oldest entry, plus one if the deque is public. The
  // word only grows, so an old value never equals a later one.
  static constexpr Word kPublic = 1;
  static constexpr bool is_public(Word word) noexcept { return (word & kPublic) != 0; }
  static constexpr Index top_of(Word word) noexcept { return static_cast<Index>(word >> 1); }
  static constexpr Word after_theft(Word word) noexcept { return static_cast<Word>(word + 2); }
  // Signed distance from top to `index`. The word holds one bit less of the index than `index` has,
  // so both are doubled first.
  static constexpr Index distance(Word word, Index index) noexcept {
    const auto twice = static_cast<Word>(static_cast<Word>(index) << 1);
    return static_cast<Index>(
        minus(static_cast<Index>(twice), static_cast<Index>(word & ~kPublic)) / 2);
  }
  // Returns whether the distance is 0, with fewer instructions.
  static constexpr bool is_top(Word word, Index index) noexcept {
    return static_cast<Word>(static_cast<Word>(index) << 1) == (word & ~kPublic);
  }

  // The split point is either at top or raised. If it is at top, the owner takes every entry
  // without a barrier. If it is raised, it lies far above all indices, and every take of the owner
  // runs take_with_barrier().
  static constexpr Index kFar = std::numeric_limits<Index>::max() / 2 + 1;
  static constexpr bool is_claim_required(Index split, Index bottom) noexcept {
    return minus(split, bottom) > kFar / 2;
  }
  void require_claim(Index near) noexcept { split_.store(plus(near, kFar), deque_order::kSplit); }

  Atomic<T*>& slot(Index index) noexcept { return slots_[static_cast<std::size_t>(index & mask_)]; }

  // Takes the entry at `index`, which is bottom_ - 1. Returns false and leaves bottom_ unchanged if
  // the deque is empty.
  JOBS_ALWAYS_INLINE bool take(Index index) noexcept {
    bottom_.store(index, deque_order::kTakeBottom);
    compiler_fence();  // force_publish() supplies the other half of the barrier
    if (minus(index, split_.load(deque_order::kSplit)) >= 0) [[likely]]
      return true;
    return take_with_barrier(index);
  }

  // Slow path of take(): the split point is raised, or the deque is empty.
  JOBS_NOINLINE bool take_with_barrier(Index index) noexcept {
    Word word = top_.load(deque_order::kOwnLoad);
    if (is_public(word)) return claim(index);
    if (distance(word, index) < 0) {
      bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
      return false;
    }
    // A thief has requested publication. Each thread that reads the published word also sees that
    // this entry is taken.
    if (top_.compare_exchange_strong(word, word | kPublic, deque_order::kPublish,
                                     deque_order::kLost))
      return true;
    return claim(index);  // a forced publication came first
  }

  // take() in a public deque.
  bool claim(Index index) noexcept {
    bottom_.exchange(index, deque_order::kPopBottom);
    const Word word = top_.load(deque_order::kPopTop);
    const Index others = distance(word, index);
    if (others <= 0) return claim_last(index, word);
    if (extend_streak(word)) make_private(word);
    return true;
  }

  // At most one entry is left, and a thief may claim it, too.
  bool claim_last(Index index, Word word) noexcept {
    chaos::inject_delay();
    const bool won = is_top(word, index) &&
                     top_.compare_exchange_strong(word, after_theft(word), deque_order::kPopTake,
                                                  deque_order::kLost);
    bottom_.store(plus(index, 1), deque_order::kRestoreBottom);
    if (won && extend_streak(word)) make_private(after_theft(word));
    if (won) seen_ = after_theft(word);  // the owner itself moved top: not a theft
    return won;
  }

  // Counts the unstolen streak; returns whether it is long enough to make the deque private.
  bool extend_streak(Word word) noexcept {
    if (word != seen_) {
      seen_ = word;
      unstolen_takes_ = 0;
    }
    return ++unstolen_takes_ >= kUnstolenStreak && may_be_private_;
  }

  // Makes the deque private, between two takes of the owner. All indices grow by two capacities.
  // Therefore the word is new, and bottom does not equal top until both are written. The slots keep
  // their places.
  void make_private(Word word) noexcept {
    const Index bottom = bottom_.load(std::memory_order_relaxed);  // [own]
    const Index top = minus(bottom, distance(word, bottom));
    const Index shift = plus(plus(mask_, 1), plus(mask_, 1));
    const auto private_word =
        static_cast<Word>(static_cast<Word>(plus(shift, shift)) + word - kPublic);
    unstolen_takes_ = 0;
    split_.store(plus(top, shift), deque_order::kSplit);
    if (!top_.compare_exchange_strong(word, private_word, deque_order::kMakePrivate,
                                      deque_order::kLost)) {
      // A thief has stolen: the deque stays public. No index reaches the raised split point,
      // because make_room() raises it further in time.
      require_claim(bottom);
      return;
    }
    bottom_.store(plus(bottom, shift), deque_order::kPushBottom);
    limit_ = plus(limit_, shift);
  }

  JOBS_COLD JOBS_TAG_OF_MODE void make_room(Index bottom) {
    const Word word = top_.load(deque_order::kReuse);
    const Index top = minus(bottom, distance(word, bottom));
    if (is_public(word)) require_claim(bottom);                // stays far above all indices
    Buffer* buffer = buffer_.load(std::memory_order_relaxed);  // [own]
    if (is_watched_ && minus(bottom, top) < kInitialCapacity) {
      limit_ = plus(top, kInitialCapacity);
      return;
    }
    is_watched_ = false;
    if (minus(bottom, top) >= buffer->capacity()) buffer = grow(buffer, bottom, top);
    limit_ = plus(top, buffer->capacity());
  }

  JOBS_TAG_OF_MODE Buffer* grow(Buffer* old, Index bottom, Index top) {
    // All differences must fit into an Index: the entries of a full deque, private and public, and
    // a raised split point.
    if (old->capacity() > std::numeric_limits<Index>::max() / 16) JOBS_THROW(std::bad_alloc());
    [[maybe_unused]] const sanitizer::IgnoreWrites buffer;  // all fibers of the owner access it
    if (old->larger == nullptr)
      old->larger = new Buffer(plus(old->capacity(), old->capacity()), old->node);
    Buffer* const grown = old->larger;
    move_entries(*old, *grown, bottom, top);
    grown_bytes_ = grown_bytes_ + grown->bytes();
    return grown;
  }

  // Makes `target` the buffer, with all entries. pre: they fit.
  void move_entries(const Buffer& source, Buffer& target, Index bottom, Index top) noexcept {
    for (Index i = top; i != bottom; i = plus(i, 1)) {
      target.slot(i).store(source.slot(i).load(deque_order::kSlot), deque_order::kSlot);
    }
    mask_ = target.mask;
    slots_ = target.slots.get();
    buffer_.store(&target, deque_order::kPublishBuffer);
  }

  // The owner's cache line. Thieves read bottom_ and raise split_; only the owner accesses the
  // other members.
  alignas(kDestructiveDistance) Atomic<Index> bottom_{0};
  Atomic<Index> split_;
  // Pushes below this index have room: top at the last reading plus the capacity. It spares push()
  // the load of top_.
  Plain<Index> limit_;
  // Copies of the members of the newest buffer.
  Plain<Index> mask_;
  Plain<Atomic<T*>*> slots_;
  Plain<Word> seen_{0};  // top at the last take with a barrier
  Plain<unsigned> unstolen_takes_{0};
  const bool may_be_private_;
  Plain<bool> is_watched_{false};
  Plain<std::size_t> grown_bytes_{0};  // of all buffers in use but the first
  Buffer* const first_;                // the smallest
  // The thieves' cache line.
  alignas(kDestructiveDistance) Atomic<Word> top_;
  Atomic<Buffer*> buffer_;  // written by the owner when the deque grows or shrinks
};

}  // namespace jobs::inline JOBS_ABI::detail
