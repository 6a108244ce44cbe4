// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::TicketQueue, turns in the order of tickets. jobs.hpp does not include it.
// The queue is a list of its tickets. The first ticket is called; its end calls the next one. A
// lock guards the list, and the calls: an owner that ends its ticket takes the lock, so no call
// reaches a freed ticket.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI {

/// Grants turns in the order in which tickets were taken.
///
/// Take a ticket where the order is known, such as in the loop that spawns jobs. Wait for its turn
/// where the order matters, such as in the job before it writes its result. The work in between
/// runs in parallel. A pipeline() does the same for a stream of items, with bounded memory.
///
/// The owner of a turn sees the effects of all earlier turns. A ticket that ends without its turn
/// is left out: it delays no other ticket.
///
/// @snippet sync.cpp ticket_queue
class JOBS_EXPORT TicketQueue {
  struct Entry;

 public:
  /// The right to one turn. A job moves its ticket into its closure.
  class JOBS_EXPORT Ticket {
   public:
    /// Moves the ticket; `other` must not wait any more.
    ///
    /// @param other  ticket to move
    Ticket(Ticket&& other) noexcept = default;
    /// Ends the ticket as done() does, and moves another ticket to it.
    ///
    /// @param other  ticket to move; must not wait any more
    /// @returns *this
    Ticket& operator=(Ticket&& other) noexcept {
      done();
      entry_ = std::move(other.entry_);
      return *this;
    }
    /// Ends the ticket as done() does.
    ~Ticket() { done(); }

    /// Suspends the calling fiber until all earlier tickets have ended.
    ///
    /// An external thread is parked instead. After the end of the ticket, the call returns at once.
    ///
    /// @throws Error(kNoStack) or Cancelled, see \ref waiting
    /// @complexity O(1), no allocation
    /// @thread_safety the owner of the ticket
    void wait() {
      if (entry_ != nullptr) entry_->called.wait();
    }
    /// Waits as wait() does, until a stop is requested.
    ///
    /// @param stop  a stop request through this token ends the wait
    /// @returns true if it is the turn of the ticket, false if the stop came first
    /// @throws Error(kNoStack) or Cancelled, see \ref waiting
    /// @complexity O(1), no allocation
    /// @thread_safety the owner of the ticket
    [[nodiscard]] bool wait(const std::stop_token& stop) {
      return entry_ == nullptr || entry_->called.wait(stop);
    }
    /// Waits as wait() does, until a point in time or a stop request.
    ///
    /// @param when  point in time on any clock; a past point makes the call a poll
    /// @param stop  a stop request through this token ends the wait
    /// @returns true if it is the turn of the ticket, false if the deadline or the stop came first
    /// @throws Error(kBadArgument) if the time is NaN
    /// @throws Error(kNoStack) or Cancelled, see \ref waiting
    /// @complexity O(1), no allocation
    /// @thread_safety the owner of the ticket
    template <class Clock, class Duration>
    [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                  const std::stop_token& stop = {}) {
      return entry_ == nullptr || entry_->called.wait_until(when, stop);
    }
    /// Waits as wait_until() does, for a duration from the call on.
    ///
    /// @param timeout  duration; zero or less makes the call a poll
    /// @param stop  a stop request through this token ends the wait
    /// @returns true if it is the turn of the ticket, false if the deadline or the stop came first
    /// @throws Error(kBadArgument) if the time is NaN
    /// @throws Error(kNoStack) or Cancelled, see \ref waiting
    /// @complexity O(1), no allocation
    /// @thread_safety the owner of the ticket
    template <class Rep, class Period>
    [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                                const std::stop_token& stop = {}) {
      return entry_ == nullptr || entry_->called.wait_for(timeout, stop);
    }

    /// Ends the ticket, so that the next one has its turn. Idempotent.
    ///
    /// Before its turn, the call leaves the queue without having had the turn.
    ///
    /// @complexity O(1)
    /// @thread_safety the owner of the ticket
    void done() noexcept;

   private:
    friend TicketQueue;
    explicit Ticket(std::unique_ptr<Entry> entry) noexcept : entry_(std::move(entry)) {}

    std::unique_ptr<Entry> entry_;  // null: the ticket has ended
  };

  /// Creates a queue without tickets.
  TicketQueue() noexcept = default;
  /// Destroys the queue; aborts if a ticket has not ended.
  ~TicketQueue();
  TicketQueue(const TicketQueue&) = delete;
  TicketQueue& operator=(const TicketQueue&) = delete;

  /// Takes the next ticket.
  ///
  /// @returns ticket, which must end before the queue is destroyed
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1), one allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] Ticket take();

 private:
  struct Entry : detail::HeapObject<Entry> {
    explicit Entry(TicketQueue& owner) noexcept : queue(owner) {}

    TicketQueue& queue;
    Event called;
    Entry* earlier = nullptr;
    Entry* later = nullptr;
  };

  void append(Entry& entry) noexcept;
  void remove(Entry& entry) noexcept;

  detail::RawSpinLock lock_;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
};

}  // namespace jobs::inline JOBS_ABI
