// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EventRing: the last events of one thread. The thread writes; a reader on any thread copies.
//
// Threads: one writer calls push(). Any thread may call copy() concurrently.
//
// Invariants: `head_` counts the events that were written. Event n lies in slot n % kCapacity. The
// writer constructs a slot when it first writes it, so a ring uses the memory of its events only.
//
// Protocol:
//
//   writer                                     reader
//   step 1: stores the words of event h        step 1: loads head_: `end` [trace.1]
//           [trace.2]                          step 2: loads the words of the last kCapacity events
//   step 2: stores h + 1 to head_ [trace.1]            before `end` [trace.2]
//                                              step 3: loads head_ again: `now`
//                                              step 4: drops the events up to now - kCapacity
//
// Proof. An event before `end` is complete, and its slot is constructed, because the reader
// acquires the store of step 2. The writer may overwrite it meanwhile. If the reader loads a word
// of event h in place of event h - kCapacity, it acquires that store, so it sees the store of h to
// head_, which came before. So `now` is at least h, and step 4 drops event h - kCapacity.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace ring_order {
JOBS_ORDER(kOwn, relaxed);      // only the writer stores it
JOBS_ORDER(kPublish, release);  // [trace.1] publishes the event; partner: kSeeEnd
JOBS_ORDER(kSeeEnd, acquire);   // [trace.1] partner: kPublish
JOBS_ORDER(kWrite, release);    // [trace.2] publishes the head before it; partner: kRead
JOBS_ORDER(kRead, acquire);     // [trace.2] partner: kWrite
JOBS_ORDER(kCheck, relaxed);    // ordered by kRead
}  // namespace ring_order

// An event as it lies in a ring: the time in ticks, the kind with a value of 56 bits, two values.
using RawEvent = std::array<std::uint64_t, 4>;

template <std::size_t kCapacity>
class EventRing {
 public:
  // Throws std::bad_alloc.
  EventRing()
      : size_((kCapacity * sizeof(Slot) + os::page_size() - 1) / os::page_size() * os::page_size()),
        slots_(reinterpret_cast<Slot*>(os::reserve_pages(size_))) {
    if (slots_ == nullptr) throw std::bad_alloc();
  }
  ~EventRing() {
    std::destroy_n(slots_, std::min<std::uint64_t>(count(), kCapacity));
    os::release_pages(reinterpret_cast<std::byte*>(slots_), size_);
  }
  EventRing(const EventRing&) = delete;
  EventRing& operator=(const EventRing&) = delete;

  // Writes an event over the oldest one. Writer only.
  void push(const RawEvent& event) noexcept {
    const std::uint64_t head = head_.load(ring_order::kOwn);
    if (head < kCapacity) ::new (static_cast<void*>(slots_ + head)) Slot;
    Slot& slot = slots_[head % kCapacity];
    for (std::size_t i = 0; i < event.size(); ++i) slot[i].store(event[i], ring_order::kWrite);
    head_.store(head + 1, ring_order::kPublish);
  }

  // The number of pages that the ring uses after that number of events.
  static std::uint64_t pages(std::uint64_t events) noexcept {
    const std::uint64_t bytes = std::min<std::uint64_t>(events, kCapacity) * sizeof(Slot);
    return (bytes + os::page_size() - 1) / os::page_size();
  }

  // The number of events that were written. Any thread.
  std::uint64_t count() const noexcept { return head_.load(ring_order::kSeeEnd); }

  // Returns whole events, oldest first, from the event of number `first` on. Any thread. Throws
  // std::bad_alloc.
  std::vector<RawEvent> copy(std::uint64_t first) const {
    const std::uint64_t end = count();
    const std::uint64_t oldest = end > kCapacity ? end - kCapacity : 0;
    if (first < oldest) first = oldest;
    std::vector<RawEvent> events;
    for (std::uint64_t n = first; n < end; ++n) {
      const Slot& slot = slots_[n % kCapacity];
      RawEvent& event = events.emplace_back();
      for (std::size_t i = 0; i < event.size(); ++i) event[i] = slot[i].load(ring_order::kRead);
    }
    const std::uint64_t now = head_.load(ring_order::kCheck);
    // The event of number `now` may be partly written.
    const std::uint64_t intact = now >= kCapacity ? now - kCapacity + 1 : 0;
    if (intact > first) {
      const std::uint64_t lost = intact < end ? intact - first : end - first;
      events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(lost));
    }
    return events;
  }

 private:
  using Slot = std::array<jobs::detail::Atomic<std::uint64_t>, std::tuple_size_v<RawEvent>>;

  const std::size_t size_;  // bytes
  Slot* const slots_;       // pages; the first count() slots are constructed
  jobs::detail::Atomic<std::uint64_t> head_{0};
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
