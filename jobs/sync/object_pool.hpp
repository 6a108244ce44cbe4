// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public header: jobs::ObjectPool, objects that are lent and returned. jobs.hpp does not
// include it.
#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/sync/semaphore.hpp"

namespace jobs::inline JOBS_ABI {

/// Lends objects that are expensive to create, such as buffers, connections and scratch memory.
///
/// A job borrows an object and may wait, and start other jobs, while it has the object. (A
/// PerWorker value is cheaper, but belongs to all fibers of a worker.) A pool of n objects also
/// limits the users to n at a time: further borrowers wait in FIFO order.
///
/// The pool creates an object when it has none to lend, and lends the object that was returned last
/// first. Objects keep their state from one borrower to the next.
///
/// @snippet sync.cpp object_pool
///
/// @tparam T  type of the objects; it needs neither copies nor moves
template <class T>
class ObjectPool {
  struct Slot : detail::HeapObject<Slot> {
    T value;
    Slot* next;
  };

 public:
  /// Size of a pool that creates as many objects as are borrowed at a time.
  static constexpr std::size_t kUnbounded = Semaphore::max();

  /// An object on loan. It returns to the pool with the end of the Loan.
  class [[nodiscard]] Loan {
   public:
    /// Moves the loan; `other` must not be used any more.
    ///
    /// @param other  loan to move
    Loan(Loan&& other) noexcept : pool_(other.pool_), slot_(std::exchange(other.slot_, nullptr)) {}
    /// Returns the object, and moves another loan to this one.
    ///
    /// @param other  loan to move; must not be used any more
    /// @returns *this
    Loan& operator=(Loan&& other) noexcept {
      std::swap(pool_, other.pool_);
      std::swap(slot_, other.slot_);
      other.give_back();
      return *this;
    }
    /// Returns the object to the pool; the next borrower sees its state.
    ~Loan() { give_back(); }

    /// Returns the object on loan.
    ///
    /// @returns reference that stays valid until the end of the Loan
    T& operator*() const noexcept { return slot_->value; }
    /// Returns the object on loan.
    ///
    /// @returns pointer that stays valid until the end of the Loan
    T* operator->() const noexcept { return &slot_->value; }

   private:
    friend ObjectPool;
    Loan(ObjectPool& pool, Slot& slot) noexcept : pool_(&pool), slot_(&slot) {}
    void give_back() noexcept {
      if (Slot* const slot = std::exchange(slot_, nullptr)) pool_->give_back(*slot);
    }

    ObjectPool* pool_;
    Slot* slot_;
  };

  /// Creates a pool whose objects begin as T().
  ///
  /// @param size  largest number of objects; at most kUnbounded, else the call aborts
  JOBS_TAG_OF_MODE explicit ObjectPool(std::size_t size)
    requires std::default_initializable<T>
      : ObjectPool(size, [] { return T(); }) {}
  /// Creates a pool whose objects begin as make().
  ///
  /// @param size  largest number of objects; at most kUnbounded, else the call aborts
  /// @param make  called by the borrower that finds no object; possibly concurrently
  JOBS_TAG_OF_MODE ObjectPool(std::size_t size, std::function<T()> make)
      : make_(std::move(make)), permits_(size) {}
  /// Destroys the objects; each loan must have ended.
  ~ObjectPool() {
    while (free_ != nullptr) {
      const std::unique_ptr<Slot> slot(free_);
      free_ = slot->next;
    }
  }
  ObjectPool(const ObjectPool&) = delete;
  ObjectPool& operator=(const ObjectPool&) = delete;

  /// Borrows an object; suspends the calling fiber while all objects are on loan.
  ///
  /// An external thread is parked instead.
  ///
  /// @returns the loan
  /// @throws exception of making a T
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1); an allocation only for a new object
  /// @thread_safety any thread or fiber, concurrently
  JOBS_TAG_OF_MODE Loan borrow() {
    permits_.acquire();
    return lend();
  }
  /// Borrows an object if one is left.
  ///
  /// @returns the loan; empty if all objects are on loan
  /// @throws exception of making a T
  /// @complexity O(1); an allocation only for a new object
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<Loan> try_borrow() {
    return lend_if(permits_.try_acquire());
  }
  /// Borrows an object as borrow() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns the loan; empty if the deadline or the stop came first
  /// @throws exception of making a T
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1); an allocation only for a new object
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<Loan> try_borrow_until(
      const std::chrono::time_point<Clock, Duration>& when, const std::stop_token& stop = {}) {
    return lend_if(permits_.try_acquire_until(when, stop));
  }
  /// Borrows an object as try_borrow_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait
  /// @returns the loan; empty if the deadline or the stop came first
  /// @throws exception of making a T
  /// @throws Error(kBadArgument) if the time is NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1); an allocation only for a new object
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] JOBS_TAG_OF_MODE std::optional<Loan> try_borrow_for(
      const std::chrono::duration<Rep, Period>& timeout, const std::stop_token& stop = {}) {
    return lend_if(permits_.try_acquire_for(timeout, stop));
  }

 private:
  // pre: the caller has a permit.
  JOBS_TAG_OF_MODE Loan lend() {
    if (Slot* const slot = pop()) return Loan(*this, *slot);
    JOBS_TRY { return Loan(*this, *new Slot{{}, make_(), nullptr}); }
    JOBS_CATCH_ALL {
      permits_.release();
      JOBS_RETHROW;
    }
  }
  JOBS_TAG_OF_MODE std::optional<Loan> lend_if(bool has_permit) {
    return has_permit ? std::optional<Loan>(lend()) : std::nullopt;
  }
  Slot* pop() noexcept {
    const std::scoped_lock lock(lock_);
    return free_ != nullptr ? std::exchange(free_, free_->next) : nullptr;
  }
  void give_back(Slot& slot) noexcept {
    {
      const std::scoped_lock lock(lock_);
      slot.next = std::exchange(free_, &slot);
    }
    permits_.release();
  }

  const std::function<T()> make_;
  Semaphore permits_;
  detail::RawSpinLock lock_;
  Slot* free_ = nullptr;  // linked by `next`, the object that was returned last first
};

}  // namespace jobs::inline JOBS_ABI
