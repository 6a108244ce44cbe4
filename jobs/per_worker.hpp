// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PerWorker<T>: a T for each worker, such as a buffer or a partial sum, which needs no lock.
//
//   jobs::PerWorker<Histogram> parts;
//   jobs::parallel_for(pixels, [&](Pixel p) { parts.local().add(p); });
//   Histogram all;
//   parts.for_each([&](const Histogram& part) { all += part; });
//
// Not a thread_local: each PerWorker object has values of its own. Which worker runs what is not promised, so combine the values only
// by what does not depend on it (integer sums, sets); for floating-point sums there is parallel_reduce.
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

  WorkerNumbers();  // starts the default scheduler if need be
  std::size_t count() const noexcept { return count_; }
  // Below count(); kNone if the calling thread is none of those workers.
  std::size_t of_caller() const noexcept;

 private:
  const Shared* shared_;
  std::size_t count_;
};

}  // namespace detail

template <class T>
class PerWorker {
 public:
  // Values are made when they are first asked for, by T() or make(). For the workers of the scheduler that the calling thread uses;
  // other threads (guests in loops, other schedulers) get one each, too, more slowly.
  JOBS_TAG_OF_MODE PerWorker() requires std::default_initializable<T> : PerWorker([] { return T(); }) {}
  JOBS_TAG_OF_MODE explicit PerWorker(std::function<T()> make)
      : make_(std::move(make)), slots_(std::make_unique<Slot[]>(numbers_.count())) {}
  PerWorker(const PerWorker&) = delete;
  PerWorker& operator=(const PerWorker&) = delete;
  ~PerWorker() {
    while (foreign_ != nullptr) {
      const Foreign* const newest = foreign_;
      foreign_ = newest->older;
      delete newest;
    }
  }

  // The calling worker's. A few loads, no atomics. The fibers of a worker share it, so do not keep the reference over anything that may
  // wait. Throws what making a T throws.
  JOBS_TAG_OF_MODE T& local() {
    const std::size_t index = numbers_.of_caller();
    if (index == detail::WorkerNumbers::kNone) [[unlikely]]
      return foreign();
    std::optional<T>& value = slots_[index].value;
    if (!value) [[unlikely]]
      value.emplace(make_());
    return *value;
  }

  // Calls f(value) for all that were made. Not while anybody calls local(): after the loop or the wait() that ended the work.
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

  // The value of a thread that is none of the workers. A list: few threads have one.
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
    // Entries stay where they are, and only this thread adds the one that it looks for.
    while (other != nullptr && other->thread != &detail::this_thread()) other = other->older;
    return other;
  }

  const std::function<T()> make_;
  const detail::WorkerNumbers numbers_;
  const std::unique_ptr<Slot[]> slots_;
  detail::SpinLock foreign_lock_;
  Foreign* foreign_ = nullptr;  // newest first
};

}  // namespace jobs::inline JOBS_ABI
