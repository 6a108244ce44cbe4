// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::Channel, a queue between fibers.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/sync/core/channel_core.hpp"

namespace jobs::inline JOBS_ABI {

/// An item of a jobs::Channel: its move constructor and destructor do not throw.
///
/// @tparam T  type of the item
template <class T>
concept ChannelItem = std::is_object_v<T> && std::is_nothrow_move_constructible_v<T> &&
                      std::is_nothrow_destructible_v<T>;

/// Queue between fibers; a full or an empty channel suspends the caller.
///
/// Any number of fibers and threads may push and pop. Items leave in FIFO order. Waiting pushers
/// and poppers are served in FIFO order. The popper of an item sees the effects that precede its
/// push.
///
/// close() ends the channel: later pushes fail, and pops continue until the channel is empty.
/// close() wakes all waiters.
///
/// Items are moved under a spin lock. Therefore the move constructor and the destructor of an item
/// should be short, and must not wait: a wait would abort. The destructor of the channel destroys
/// the items that are left.
///
/// Destruction while a fiber waits aborts. The popper of the last item may destroy the channel,
/// even if push() has not returned yet.
///
/// @tparam T  type of the items
///
/// @snippet sync.cpp channel
template <ChannelItem T>
class Channel : private detail::ChannelCore {
 public:
  /// Capacity of an unbounded channel: push() never waits.
  ///
  /// Such a channel allocates when it holds more items than ever before.
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  /// Creates an open, empty channel.
  ///
  /// @param capacity  number of items that the channel buffers; with 0 each push waits for its pop
  /// (rendezvous)
  /// @throws std::bad_alloc
  /// @complexity O(capacity) allocations; later operations of a bounded channel do not allocate
  JOBS_TAG_OF_MODE explicit Channel(std::size_t capacity) : Channel(Kind{capacity == kUnbounded}) {
    if (is_unbounded_) return;
    for (std::size_t slot = 0; slot < capacity; ++slot) free_ = new Slot(free_);
  }

  /// Destroys the channel and its items; aborts while a fiber waits.
  ///
  /// @complexity O(capacity)
  ~Channel() {
    while (!items_.is_empty()) delete_slot(items_.pop());
    while (free_ != nullptr) delete std::exchange(free_, free_->next);
  }

  /// Pushes an item; suspends the calling fiber while the channel is full.
  ///
  /// An external thread is parked instead.
  ///
  /// @param item  item to move from; unchanged if the call returns false
  /// @returns true if the item was pushed, false if the channel is closed
  /// @throws std::bad_alloc from an unbounded channel
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_TAG_OF_MODE bool push(T&& item) { return push_before(item, os::kNever, {}); }

  /// Pushes a copy of an item as push(T&&) does.
  ///
  /// @param item  item to copy
  /// @returns true if the copy was pushed, false if the channel is closed
  /// @throws std::bad_alloc from an unbounded channel
  /// @throws the exception of the copy constructor
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool push(const T& item)
    requires std::copy_constructible<T>
  {
    return push(T(item));
  }

  /// Pushes an item as push() does, until a stop is requested.
  ///
  /// @param item  item to move from; unchanged if the call returns false
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the item was pushed, false if the channel is closed or the stop came first
  /// @throws std::bad_alloc from an unbounded channel
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool push(T&& item, const std::stop_token& stop) {
    return push_before(item, os::kNever, stop);
  }

  /// Pushes an item if the channel is not full, without waiting.
  ///
  /// @param item  item to move from; unchanged if the call returns false
  /// @returns true if the item was pushed, false if the channel is closed or full
  /// @throws std::bad_alloc from an unbounded channel
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_TAG_OF_MODE bool try_push(T&& item) {
    return push_before(item, detail::kPoll, {});
  }

  /// Pushes a copy of an item as try_push(T&&) does.
  ///
  /// @param item  item to copy
  /// @returns true if the copy was pushed, false if the channel is closed or full
  /// @throws std::bad_alloc from an unbounded channel
  /// @throws the exception of the copy constructor
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool try_push(const T& item)
    requires std::copy_constructible<T>
  {
    return try_push(T(item));
  }

  /// Pushes an item as push() does, until a point in time or a stop request.
  ///
  /// @param item  item to move from; unchanged if the call returns false
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the item was pushed; false if the channel is closed, or the deadline or the
  /// stop came first
  /// @throws std::bad_alloc from an unbounded channel
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool try_push_until(T&& item, const std::chrono::time_point<Clock, Duration>& when,
                                    const std::stop_token& stop = {}) {
    return push_before(item, detail::to_deadline(when), stop);
  }

  /// Pushes an item as try_push_until() does, for a duration from the call on.
  ///
  /// @param item  item to move from; unchanged if the call returns false
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns true if the item was pushed; false if the channel is closed, or the deadline or the
  /// stop came first
  /// @throws std::bad_alloc from an unbounded channel
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool try_push_for(T&& item, const std::chrono::duration<Rep, Period>& timeout,
                                  const std::stop_token& stop = {}) {
    return push_before(item, detail::to_deadline(timeout), stop);
  }

  /// Pops the oldest item; suspends the calling fiber while the channel is empty.
  ///
  /// An external thread is parked instead.
  ///
  /// @returns the item; empty if the channel is closed and empty
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<T> pop() { return pop_before(os::kNever, {}); }

  /// Pops an item as pop() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait
  /// @returns the item; empty if the channel is closed and empty, or the stop came first
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<T> pop(const std::stop_token& stop) {
    return pop_before(os::kNever, stop);
  }

  /// Pops the oldest item if there is one, without waiting.
  ///
  /// @returns the item; empty if the channel is empty
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<T> try_pop() {
    return pop_before(detail::kPoll, {});
  }

  /// Pops an item as pop() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns the item; empty if the channel is closed and empty, or the deadline or the stop came
  /// first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] std::optional<T> try_pop_until(const std::chrono::time_point<Clock, Duration>& when,
                                               const std::stop_token& stop = {}) {
    return pop_before(detail::to_deadline(when), stop);
  }

  /// Pops an item as try_pop_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns the item; empty if the channel is closed and empty, or the deadline or the stop came
  /// first
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> try_pop_for(const std::chrono::duration<Rep, Period>& timeout,
                                             const std::stop_token& stop = {}) {
    return pop_before(detail::to_deadline(timeout), stop);
  }

  /// Closes the channel and wakes all waiters; a second call has no effect.
  ///
  /// @complexity O(waiters), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void close() noexcept { ChannelCore::close(); }

  /// Checks whether the channel is closed; it may still hold items.
  ///
  /// @returns true after close()
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool is_closed() noexcept { return ChannelCore::is_closed(); }

  /// Input iterator of `for (T& item : channel)`.
  ///
  /// The loop pops items until the channel is closed and empty. Several loops may run at the same
  /// time.
  class Iterator {
   public:
    /// Type of the items.
    using value_type = T;

    /// Required of an iterator; has no meaning here.
    using difference_type = std::ptrdiff_t;

    /// Returns the item that the iterator has popped.
    ///
    /// @returns the item; valid until the next increment
    T& operator*() { return *item_; }

    /// Pops the next item as Channel::pop() does.
    ///
    /// @returns this iterator
    /// @throws Error(kNoStack) or Cancelled, see \ref waiting
    JOBS_TAG_OF_MODE Iterator& operator++() {
      item_ = channel_->pop();
      return *this;
    }

    /// Pops the next item as Channel::pop() does.
    ///
    /// @throws Error(kNoStack) or Cancelled, see \ref waiting
    void operator++(int) { ++*this; }

    /// Checks whether the channel is closed and empty.
    ///
    /// @returns true at the end of the loop
    bool operator==(std::default_sentinel_t) const { return !item_.has_value(); }

   private:
    friend class Channel;
    JOBS_TAG_OF_MODE explicit Iterator(Channel& channel)
        : channel_(&channel), item_(channel.pop()) {}

    Channel* channel_;
    std::optional<T> item_;
  };

  /// Pops the first item as pop() does, for `for (T& item : channel)`.
  ///
  /// @returns iterator that holds the item
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  JOBS_TAG_OF_MODE Iterator begin() { return Iterator(*this); }

  /// Returns the end of `for (T& item : channel)`.
  ///
  /// @returns a sentinel
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  std::default_sentinel_t end() { return {}; }

  class OnPop;

  /// Makes an alternative for select() that pops into `item`.
  ///
  /// @param item  empty before; if select() chose the alternative and `item` is still empty, the
  /// channel is closed and empty
  /// @returns the alternative; it refers to this channel and to `item`
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnPop on_pop(std::optional<T>& item) { return OnPop(*this, item); }
  class OnPush;

  /// Makes an alternative for select() that pushes the content of `item`.
  ///
  /// @param item  not empty before; if select() chose the alternative and `item` is still not
  /// empty, the channel is closed
  /// @returns the alternative; it refers to this channel and to `item`
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] OnPush on_push(std::optional<T>& item) { return OnPush(*this, *item, &item); }

 private:
  // Storage of one item. A slot of items_ contains an item, a slot of free_ does not.
  struct Slot : detail::HeapObject<Slot> {
    explicit Slot(Slot* free_slot) : next(free_slot) {}
    Slot* next;
    alignas(T) std::byte storage[sizeof(T)];
    T& item() noexcept { return *std::launder(reinterpret_cast<T*>(storage)); }
  };
  // A FIFO of slots.
  struct Slots {
    Slot* first = nullptr;
    Slot* last = nullptr;
    bool is_empty() const noexcept { return first == nullptr; }
    void push(Slot* slot) noexcept {
      slot->next = nullptr;
      (first == nullptr ? first : last->next) = slot;
      last = slot;
    }
    Slot* pop() noexcept { return std::exchange(first, first->next); }
  };

  struct Kind {
    bool is_unbounded;
  };
  // The public constructor delegates to it, so that the destructor frees the slots if one is
  // missing.
  explicit Channel(Kind kind) noexcept : is_unbounded_(kind.is_unbounded) {}

  static void delete_slot(Slot* slot) noexcept {
    std::destroy_at(&slot->item());
    delete slot;
  }

  JOBS_TAG_OF_MODE bool push_before(T& item, os::Nanoseconds deadline,
                                    const std::stop_token& stop) {
    OnPush self(*this, item, nullptr);
    self.run(deadline, stop);
    return self.done();
  }
  JOBS_TAG_OF_MODE std::optional<T> pop_before(os::Nanoseconds deadline,
                                               const std::stop_token& stop) {
    std::optional<T> item;
    OnPop self(*this, item);
    self.run(deadline, stop);
    return item;
  }

  // Adds a slot to an unbounded channel. The allocation precedes the lock, because it may take
  // long.
  void add_slot() {
    auto* const slot = new Slot(nullptr);
    lock_.lock();
    slot->next = free_;
    free_ = slot;
    lock_.unlock();
  }

  const bool is_unbounded_;
  Slot* free_ = nullptr;
  Slots items_;
};

/// Alternative of select(): a push.
///
/// Channel::on_push() makes it.
template <ChannelItem T>
class Channel<T>::OnPush final : public detail::ChannelCore::Operation {
 public:
  /// Pushes the item if that is possible at once; select() calls this function.
  ///
  /// @returns true if the alternative is complete
  bool try_now() override {
    while (!Operation::try_now()) {
      if (!channel_.is_unbounded_) return false;
      channel_.add_slot();
    }
    return true;
  }

 private:
  friend class Channel;
  OnPush(Channel& channel, T& item, std::optional<T>* emptied) noexcept
      : Operation(channel, Side::kPush), channel_(channel), item_(item), emptied_(emptied) {}

  bool try_locked(detail::Waiter*& partner) noexcept override {
    if (channel_.closed_) return true;
    if (auto* const popper = static_cast<OnPop*>(this->take_partner())) {
      partner = popper;
      popper->receive(take());
      return true;
    }
    if (channel_.free_ == nullptr) return false;
    put_into(std::exchange(channel_.free_, channel_.free_->next));
    return true;
  }

  T take() noexcept {
    this->done_ = true;
    T item(std::move(item_));
    if (emptied_ != nullptr) emptied_->reset();
    return item;
  }
  void put_into(Slot* slot) noexcept {
    ::new (static_cast<void*>(slot->storage)) T(take());
    channel_.items_.push(slot);
  }

  Channel& channel_;
  T& item_;
  std::optional<T>* const emptied_;
};

/// Alternative of select(): a pop.
///
/// Channel::on_pop() makes it.
template <ChannelItem T>
class Channel<T>::OnPop final : public detail::ChannelCore::Operation {
 private:
  friend class Channel;
  OnPop(Channel& channel, std::optional<T>& item) noexcept
      : Operation(channel, Side::kPop), channel_(channel), item_(item) {}

  bool try_locked(detail::Waiter*& partner) noexcept override {
    const bool is_buffered = !channel_.items_.is_empty();
    Slot* slot = nullptr;
    if (is_buffered) {
      slot = channel_.items_.pop();
      receive(std::move(slot->item()));
      std::destroy_at(&slot->item());
    }
    auto* const pusher = static_cast<OnPush*>(this->take_partner());
    partner = pusher;
    if (pusher != nullptr) {
      is_buffered ? pusher->put_into(slot) : receive(pusher->take());
    } else if (is_buffered) {
      slot->next = channel_.free_;
      channel_.free_ = slot;
    }
    return this->done_ || channel_.closed_;
  }

  void receive(T&& item) noexcept {
    this->done_ = true;
    item_.emplace(std::move(item));
  }

  Channel& channel_;
  std::optional<T>& item_;
};

}  // namespace jobs::inline JOBS_ABI
