// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Channel<T>: a queue between fibers, in which full and empty mean waiting.
//
//   jobs::Channel<Block> blocks(8);
//   jobs::Fiber<> reader([&] { while (auto block = read()) blocks.push(std::move(*block)); blocks.close(); });
//   for (Block& block : blocks) write(block);
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
#include "jobs/sync/channel_core.hpp"

namespace jobs::inline JOBS_ABI {

template <class T>
concept ChannelItem =
    std::is_object_v<T> && std::is_nothrow_move_constructible_v<T> && std::is_nothrow_destructible_v<T>;

// Any number of pushers and poppers: jobs, fibers and external threads alike. Items come out in the order in which they went in, and
// waiting pushers and poppers are served in the order in which they came. Whoever pops an item sees what was done before it was pushed.
//
// close() says that nothing more will come: pushes fail from then on, pops go on until the channel is empty. All who wait are woken.
// Destruction while somebody waits aborts. Whoever pops the last item may destroy the channel even if push() has not returned yet.
//
// Items are moved under a spin lock, so their move constructor and destructor must not wait (it would abort) and had better be short.
// Items that nobody pops are destroyed with the channel.
//
// A wait that has to suspend throws Error(kNoStack), before anything has changed, if its worker needs one more fiber to go on with
// and cannot have it (SchedulerOptions::max_fibers, memory).
template <ChannelItem T>
class Channel : private detail::ChannelCore {
 public:
  // For the constructor: push() never waits. It allocates when there are more items than ever before.
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  // Holds `capacity` items that nobody waits for; 0: rendezvous, each push waits for its pop. Allocates O(capacity), after that
  // nothing. All operations are O(1).
  JOBS_TAG_OF_MODE explicit Channel(std::size_t capacity) : grows_(capacity == kUnbounded) {
    if (grows_) return;
    for (std::size_t slot = 0; slot < capacity; ++slot) free_ = new Slot{free_};
  }
  ~Channel() {
    while (!items_.is_empty()) delete_slot(items_.pop());
    while (free_ != nullptr) delete std::exchange(free_, free_->next);
  }

  // Waits while the channel is full. post: false: it is closed, and `item` is as it was.
  [[nodiscard]] JOBS_TAG_OF_MODE bool push(T&& item) { return push_before(item, os::kNever, {}); }
  [[nodiscard]] bool push(const T& item) requires std::copy_constructible<T> { return push(T(item)); }
  // As push(), but gives up when a stop is requested. post: false: it is closed or full, and `item` is as it was.
  [[nodiscard]] bool push(T&& item, const std::stop_token& stop) { return push_before(item, os::kNever, stop); }

  // Does not wait. post: false: it is closed or full, and `item` is as it was.
  [[nodiscard]] JOBS_TAG_OF_MODE bool try_push(T&& item) { return push_before(item, detail::kPoll, {}); }
  [[nodiscard]] bool try_push(const T& item) requires std::copy_constructible<T> { return try_push(T(item)); }

  // As push(), but gives up at `when`, or when a stop is requested. post: false: it is closed or full, and `item` is as it was. A
  // moment in the past only tries. Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_push_until(T&& item, const std::chrono::time_point<Clock, Duration>& when,
                                    const std::stop_token& stop = {}) {
    return push_before(item, detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_push_for(T&& item, const std::chrono::duration<Rep, Period>& timeout,
                                  const std::stop_token& stop = {}) {
    return push_before(item, detail::to_deadline(timeout), stop);
  }

  // Waits while the channel is empty. post: nothing: it is closed and empty.
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<T> pop() { return pop_before(os::kNever, {}); }
  // As pop(), but gives up when a stop is requested. post: nothing: it is empty.
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<T> pop(const std::stop_token& stop) {
    return pop_before(os::kNever, stop);
  }

  // Does not wait. post: nothing: it is empty.
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<T> try_pop() { return pop_before(detail::kPoll, {}); }

  // As pop(), but gives up at `when`, or when a stop is requested. post: nothing: it is empty. A moment in the past only tries.
  // Throws Error for NaN.
  template <class Clock, class Duration>
  [[nodiscard]] std::optional<T> try_pop_until(const std::chrono::time_point<Clock, Duration>& when,
                                               const std::stop_token& stop = {}) {
    return pop_before(detail::to_deadline(when), stop);
  }
  template <class Rep, class Period>
  [[nodiscard]] std::optional<T> try_pop_for(const std::chrono::duration<Rep, Period>& timeout,
                                             const std::stop_token& stop = {}) {
    return pop_before(detail::to_deadline(timeout), stop);
  }

  // Idempotent. O(those who wait).
  void close() noexcept { ChannelCore::close(); }
  // Items may still be there.
  [[nodiscard]] bool is_closed() noexcept { return ChannelCore::is_closed(); }

  // Pops until the channel is closed and empty: `for (T& item : channel)`. Several may do that at once.
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    T& operator*() { return *item_; }
    JOBS_TAG_OF_MODE Iterator& operator++() {
      item_ = channel_->pop();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !item_.has_value(); }

   private:
    friend class Channel;
    JOBS_TAG_OF_MODE explicit Iterator(Channel& channel) : channel_(&channel), item_(channel.pop()) {}

    Channel* channel_;
    std::optional<T> item_;
  };
  JOBS_TAG_OF_MODE Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() { return {}; }

  // For select(): a pop into `item`, which is empty before. post, if it was chosen: nothing in it: the channel is closed and empty.
  class OnPop;
  [[nodiscard]] OnPop on_pop(std::optional<T>& item) { return OnPop(*this, item); }
  // A push of what is in `item`. post, if it was chosen: still in it: the channel is closed.
  class OnPush;
  [[nodiscard]] OnPush on_push(std::optional<T>& item) { return OnPush(*this, *item, &item); }

 private:
  // A place for one item; on items_ with one, on free_ without.
  struct Slot {
    explicit Slot(Slot* free_slot) : next(free_slot) {}
    Slot* next;
    alignas(T) std::byte storage[sizeof(T)];
    T& item() noexcept { return *std::launder(reinterpret_cast<T*>(storage)); }
  };
  // FIFO.
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

  static void delete_slot(Slot* slot) noexcept {
    std::destroy_at(&slot->item());
    delete slot;
  }

  JOBS_TAG_OF_MODE bool push_before(T& item, os::Nanoseconds deadline, const std::stop_token& stop) {
    OnPush self(*this, item, nullptr);
    self.run(deadline, stop);
    return self.done();
  }
  JOBS_TAG_OF_MODE std::optional<T> pop_before(os::Nanoseconds deadline, const std::stop_token& stop) {
    std::optional<T> item;
    OnPop self(*this, item);
    self.run(deadline, stop);
    return item;
  }

  // Of an unbounded channel; outside of the lock, as it may take long.
  void add_slot() {
    auto* const slot = new Slot{nullptr};
    lock_.lock();
    slot->next = free_;
    free_ = slot;
    lock_.unlock();
  }

  const bool grows_;
  Slot* free_ = nullptr;
  Slots items_;
};

template <ChannelItem T>
class Channel<T>::OnPush final : public detail::ChannelCore::Party {
 public:
  bool try_now() override {
    while (!Party::try_now()) {
      if (!channel_.grows_) return false;
      channel_.add_slot();
    }
    return true;
  }

 private:
  friend class Channel;
  OnPush(Channel& channel, T& item, std::optional<T>* emptied) noexcept
      : Party(channel, Side::kPush), channel_(channel), item_(item), emptied_(emptied) {}

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

template <ChannelItem T>
class Channel<T>::OnPop final : public detail::ChannelCore::Party {
 private:
  friend class Channel;
  OnPop(Channel& channel, std::optional<T>& item) noexcept
      : Party(channel, Side::kPop), channel_(channel), item_(item) {}

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
