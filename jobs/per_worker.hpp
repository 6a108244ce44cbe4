// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// PerWorker gives each worker a value of its own.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/queue/raw_spin_lock.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {

class Shared;

// Numbers the workers of the scheduler that the constructing thread uses.
class JOBS_EXPORT WorkerNumbers {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Starts the default scheduler if it does not run.
  WorkerNumbers();
  std::size_t count() const noexcept { return count_; }
  // Returns a number below count(), or kNone if the calling thread is none of these workers.
  std::size_t of_caller() const noexcept;

 private:
  const Shared* shared_;
  std::size_t count_;
};

// Inserts [first, last) at the end of a sequence, or into a set or map.
template <class T, class It>
void append(T& all, It first, It last) {
  if constexpr (requires { all.insert(all.end(), first, last); }) {
    all.insert(all.end(), first, last);
  } else {
    all.insert(first, last);
  }
}
template <class T>
concept Container = std::default_initializable<T> && requires(T& value) {
  value.begin() == value.end();
  value.insert(value.begin(), *value.begin());
};

}  // namespace detail

/// One T per worker, such as a buffer or a partial sum; access needs no lock.
///
/// It is not a thread_local: each PerWorker object has values of its own. The assignment of work to
/// workers is unspecified. Combine the values only by operations that do not depend on it, such as
/// integer sums and sets; floating-point sums need parallel_reduce().
///
/// All fibers of a worker share the value that local() returns. A buffer that a job uses over a
/// wait or a nested loop needs a lease(): other jobs of the worker run meanwhile.
///
/// The values belong to the workers of the scheduler that the constructing thread uses. Other
/// threads, such as external participants of loops and workers of other schedulers, get one value
/// each, too; their access is slower. Each value is made at its first use.
///
/// @snippet loops.cpp per_worker
/// @snippet loops.cpp per_worker_lease
///
/// @tparam T  type of the values
template <class T>
class PerWorker {
  struct Slot;
  struct Leased;

 public:
  /// A value of a worker that belongs to the owner of this object.
  ///
  /// The destructor returns the value to the worker that made it, for later leases. It keeps its
  /// contents. The lease must end before the PerWorker object.
  class [[nodiscard]] Lease {
   public:
    /// Takes over the value of another lease, which becomes empty.
    ///
    /// @param other  lease that has owned the value
    Lease(Lease&& other) noexcept
        : slot_(other.slot_), leased_(std::exchange(other.leased_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    /// Returns the value to its worker, unless the lease is empty.
    ~Lease() {
      if (leased_ != nullptr) slot_->give_back(*leased_);
    }
    /// Returns the value.
    ///
    /// @returns reference that stays valid until the lease ends
    T& operator*() const noexcept { return leased_->value; }
    /// Returns the address of the value.
    ///
    /// @returns pointer that stays valid until the lease ends
    T* operator->() const noexcept { return &leased_->value; }

   private:
    friend PerWorker;
    Lease(Slot& slot, Leased& leased) noexcept : slot_(&slot), leased_(&leased) {}

    Slot* slot_;
    Leased* leased_;
  };

  /// Creates the object; each value begins as T().
  ///
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers); starts the default scheduler if the calling thread uses it and it does
  ///   not run
  JOBS_TAG_OF_MODE PerWorker()
    requires std::default_initializable<T>
      : PerWorker([] { return T(); }) {}
  /// Creates the object; each value begins as make().
  ///
  /// @param make  called by the thread of the value at its first use; possibly concurrently
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(workers); starts the default scheduler if the calling thread uses it and it does
  ///   not run
  JOBS_TAG_OF_MODE explicit PerWorker(std::function<T()> make)
      : make_(std::move(make)), slots_(numbers_.count() + 1) {}
  PerWorker(const PerWorker&) = delete;
  PerWorker& operator=(const PerWorker&) = delete;
  /// Destroys all values; no thread may use the object any more.
  ~PerWorker() {
    while (foreign_ != nullptr) {
      const Foreign* const newest = foreign_;
      foreign_ = newest->older;
      delete newest;
    }
  }

  /// Returns the value of the calling worker; makes it at the first use.
  ///
  /// All fibers of a worker share the value. Do not keep the reference over a call that may wait.
  /// T can be moved; lease() serves other types.
  ///
  /// @returns reference that stays valid until the object is destroyed
  /// @throws exception of making a T
  /// @complexity O(1): a few loads, no atomic operation. A thread that is not a worker of this
  ///   scheduler takes a lock and searches a list.
  /// @thread_safety any thread or fiber, concurrently
  JOBS_TAG_OF_MODE T& local() {
    const std::size_t index = numbers_.of_caller();
    if (index == detail::WorkerNumbers::kNone) [[unlikely]]
      return foreign();
    std::optional<T>& value = slots_[index].value;
    if (!value) [[unlikely]]
      make_local(value);
    return *value;
  }

  /// Hands out a value of the calling worker, for as long as the lease lives.
  ///
  /// No other caller gets the value before the lease ends, also while the owner waits. A leased
  /// value differs from the value that local() returns. A worker makes a value if all of its values
  /// are leased: as many as leases overlap. All threads that are not workers share their values.
  ///
  /// @returns lease; any thread may end it
  /// @throws exception of making a T
  /// @throws std::bad_alloc if there is no memory for a new value
  /// @complexity O(1): two uncontended locks per lease; a new value needs one allocation
  /// @thread_safety any thread or fiber, concurrently
  JOBS_TAG_OF_MODE Lease lease() {
    const std::size_t index = numbers_.of_caller();
    Slot& slot = slots_[index == detail::WorkerNumbers::kNone ? numbers_.count() : index];
    Leased* leased = slot.take();
    if (leased == nullptr) {
      leased = new Leased{{}, make_()};
      slot.add(*leased);
    }
    return Lease(slot, *leased);
  }

  /// Calls f(value) for each value that was made, leased values included.
  ///
  /// @param f  callable with T&
  /// @throws exception of f
  /// @complexity O(workers + values)
  /// @thread_safety not concurrently with local() or a lease: call it after the loop or wait that
  ///   ended the work
  template <std::invocable<T&> F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i <= numbers_.count(); ++i) {
      if (slots_[i].value) f(*slots_[i].value);
      for (Leased* leased = slots_[i].newest; leased != nullptr; leased = leased->older)
        f(leased->value);
    }
    for (Foreign* other = foreign_; other != nullptr; other = other->older) f(other->value);
  }

  /// Combines all values that were made.
  ///
  /// The order of the values is unspecified.
  ///
  /// @param op  callable as op(T, T&) for a T; associative and commutative
  /// @returns the combined value; a copy of the value if there is one; make() if there is none
  /// @throws exception of op or of copying or making a T
  /// @complexity O(workers + values)
  /// @thread_safety as for_each()
  template <class Op>
    requires std::copy_constructible<T> && std::is_invocable_r_v<T, Op&, T, T&>
  [[nodiscard]] JOBS_TAG_OF_MODE T combine(Op op) {
    std::optional<T> result;
    for_each([&](T& value) {
      if (result) {
        T next = op(*std::move(result), value);
        result.emplace(std::move(next));
      } else {
        result.emplace(value);
      }
    });
    return result ? *std::move(result) : make_();
  }

  /// Copies the elements of all values into one container.
  ///
  /// The elements of a value stay in their order; the order of the values is unspecified. The call
  /// suits values that are containers, to which the workers append. It moves the elements if the
  /// PerWorker object is an rvalue: `std::move(found).flatten()`.
  ///
  /// @returns container with the elements of all values
  /// @throws std::bad_alloc if there is no memory
  /// @throws exception of copying an element
  /// @complexity O(workers + elements)
  /// @thread_safety as for_each()
  [[nodiscard]] JOBS_TAG_OF_MODE T flatten() &
    requires detail::Container<T>
  {
    T all;
    for_each([&](T& value) { detail::append(all, value.begin(), value.end()); });
    return all;
  }
  /// Moves the elements of all values into one container.
  ///
  /// @returns container with the elements of all values, which keep moved-from elements
  /// @throws std::bad_alloc if there is no memory
  /// @throws exception of moving an element
  /// @complexity O(workers + elements)
  /// @thread_safety as for_each()
  [[nodiscard]] JOBS_TAG_OF_MODE T flatten() &&
    requires detail::Container<T>
  {
    T all;
    for_each([&](T& value) {
      detail::append(all, std::make_move_iterator(value.begin()),
                     std::make_move_iterator(value.end()));
    });
    return all;
  }

 private:
  // A value for leases. Its slot owns it; it is in the list of free values, or a lease has it.
  struct Leased : detail::HeapObject<Leased> {
    T value;
    Leased* older = nullptr;
    Leased* next_free = nullptr;
  };

  // The values of one worker; the last slot has the leased values of all other threads. Only the
  // worker uses `value`. The lock guards the lists: another thread may end a lease.
  struct Slot : detail::OwnCacheLines {
    Slot() = default;
    ~Slot() {
      while (newest != nullptr) delete std::exchange(newest, newest->older);
    }
    // Returns a free value, or null.
    Leased* take() noexcept {
      lock.lock();
      Leased* const leased = free;
      if (leased != nullptr) free = leased->next_free;
      lock.unlock();
      return leased;
    }
    void give_back(Leased& leased) noexcept {
      lock.lock();
      leased.next_free = free;
      free = &leased;
      lock.unlock();
    }
    void add(Leased& leased) noexcept {
      lock.lock();
      leased.older = newest;
      newest = &leased;
      lock.unlock();
    }

    std::optional<T> value;
    detail::RawSpinLock lock;
    Leased* free = nullptr;
    Leased* newest = nullptr;  // all values for leases
  };

  JOBS_COLD void make_local(std::optional<T>& value) {
    T fresh = make_();
    // make_() may have waited, and another fiber of this worker may have made the value meanwhile.
    if (!value) value.emplace(std::move(fresh));
  }

  // The value of a thread that is none of the workers. A list is enough: few threads have one.
  struct Foreign : detail::HeapObject<Foreign> {
    const detail::ThreadState* thread;
    T value;
    Foreign* older;
  };

  JOBS_COLD JOBS_TAG_OF_MODE T& foreign() {
    if (Foreign* const known = find_foreign()) return known->value;
    std::unique_ptr<Foreign> fresh(new Foreign{{}, &detail::this_thread(), make_(), nullptr});
    // make_() may have waited, and another fiber of this thread may have made the value meanwhile.
    if (Foreign* const known = find_foreign()) return known->value;
    foreign_lock_.lock();
    fresh->older = foreign_;
    foreign_ = fresh.release();
    Foreign& newest = *foreign_;
    foreign_lock_.unlock();
    return newest.value;
  }
  Foreign* find_foreign() noexcept {
    foreign_lock_.lock();
    Foreign* other = foreign_;
    foreign_lock_.unlock();
    // Entries stay in place, and only this thread adds the entry that it searches for.
    while (other != nullptr && other->thread != &detail::this_thread()) other = other->older;
    return other;
  }

  const std::function<T()> make_;
  const detail::WorkerNumbers numbers_;
  const detail::HeapArray<Slot> slots_;
  detail::RawSpinLock foreign_lock_;
  Foreign* foreign_ = nullptr;  // newest first
};

}  // namespace jobs::inline JOBS_ABI
