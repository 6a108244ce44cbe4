// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// PerWorker gives each worker a value of its own.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "jobs/base/config.hpp"
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

}  // namespace detail

/// One T per worker, such as a buffer or a partial sum; access needs no lock.
///
/// It is not a thread_local: each PerWorker object has values of its own. The assignment of work to
/// workers is unspecified. Combine the values only by operations that do not depend on it, such as
/// integer sums and sets; floating-point sums need parallel_reduce().
///
/// The values belong to the workers of the scheduler that the constructing thread uses. Other
/// threads, such as external participants of loops and workers of other schedulers, get one value
/// each, too; their access is slower. Each value is made at its first use.
///
/// @snippet loops.cpp per_worker
///
/// @tparam T  type of the values
template <class T>
class PerWorker {
 public:
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
      : make_(std::move(make)), slots_(std::make_unique<Slot[]>(numbers_.count())) {}
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
      value.emplace(make_());
    return *value;
  }

  /// Calls f(value) for each value that was made.
  ///
  /// @param f  callable with T&
  /// @throws exception of f
  /// @complexity O(workers)
  /// @thread_safety not concurrently with local(): call it after the loop or wait that ended the
  ///   work
  template <std::invocable<T&> F>
  void for_each(F&& f) {
    for (std::size_t i = 0; i < numbers_.count(); ++i) {
      if (slots_[i].value) f(*slots_[i].value);
    }
    for (Foreign* other = foreign_; other != nullptr; other = other->older) f(other->value);
  }

 private:
  struct alignas(detail::kDestructiveDistance) Slot {
    std::optional<T> value;
  };

  // The value of a thread that is none of the workers. A list is enough: few threads have one.
  struct Foreign {
    const detail::ThreadState* thread;
    T value;
    Foreign* older;
  };

  JOBS_COLD JOBS_TAG_OF_MODE T& foreign() {
    if (Foreign* const known = find_foreign()) return known->value;
    std::unique_ptr<Foreign> fresh(new Foreign{&detail::this_thread(), make_(), nullptr});
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
  const std::unique_ptr<Slot[]> slots_;
  detail::RawSpinLock foreign_lock_;
  Foreign* foreign_ = nullptr;  // newest first
};

}  // namespace jobs::inline JOBS_ABI
