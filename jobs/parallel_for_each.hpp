// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// parallel_for_each() loops over any forward range; its body may add items.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <stop_token>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/stoppable_for.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/mutex.hpp"

namespace jobs::inline JOBS_ABI {

/// Receives further items from the body of a parallel_for_each().
///
/// The object is valid until the call of the body returns.
///
/// @tparam T  value type of the range
template <class T>
class Feeder {
 public:
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  /// Adds an item, for which the body runs, too.
  ///
  /// The body runs on any worker, possibly before add() returns. Only calls of the body may use it.
  ///
  /// @param item  argument of a later call of the body
  /// @throws std::bad_alloc if there is no memory
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @complexity one spawn()
  /// @thread_safety calls of the body, concurrently
  virtual void add(T item) = 0;

 protected:
  Feeder() = default;
  ~Feeder() = default;
};

namespace detail JOBS_OF_MODE {

// Distributes the elements of a forward range in batches; one worker walks at a time.
template <class I, class S>
class Walk {
 public:
  struct Batch {
    I first;
    std::uint64_t size;
  };
  Walk(I first, S last) : next_(std::move(first)), last_(std::move(last)) {}

  Batch take(std::uint64_t max) {
    const std::scoped_lock lock(mutex_);
    Batch batch{next_, 0};
    for (; batch.size < max && next_ != last_; ++next_) ++batch.size;
    return batch;
  }

 private:
  Mutex mutex_;
  I next_;
  S last_;
};

// One worker starts; the other workers are notified once the loop is long enough to gain from them,
// or at once if a single call of the last loop like it was.
template <class R, class F>
void walk(WorkerContext& caller, R& range, F& body, const std::stop_token& stop) {
  Walk<std::ranges::iterator_t<R>, std::ranges::sentinel_t<R>> elements(std::ranges::begin(range),
                                                                        std::ranges::end(range));
  LoopState loop;
  // Returns false at the end of the range.
  const auto run_batch = [&](ChunkSize& size) {
    auto batch = elements.take(size.iterations());
    if (batch.size == 0) return false;
    throw_if_stopped(stop);
    const os::Nanoseconds start = os::quick_now();
    for (std::uint64_t i = 0; i < batch.size; ++i, ++batch.first) body(*batch.first);
    size.adapt(os::quick_now() - start, batch.size,
               0);  // the number of remaining elements is unknown
    return true;
  };
  constexpr LoopCosts::Code kCode = &loop_code<decltype(run_batch)>;
  const bool is_expected = caller.loop_costs.expected(kCode) > static_cast<float>(kWorthWaking);
  ChunkSize begun = ChunkSize::automatic();
  for (const os::Nanoseconds start = os::quick_now();
       !caller.has_thieves() || (!is_expected && os::quick_now() - start < kWorthWaking);) {
    if (!run_batch(begun)) return;
    caller.loop_costs.learn(kCode, begun.cost());
  }
  auto take_part = [&](std::uint64_t part, std::uint64_t) {
    ChunkSize size = begun;
    while (!loop.is_cancelled() && run_batch(size)) {
      // The caller runs the first part.
      if (part == 0) caller.loop_costs.learn(kCode, size.cost());
    }
  };
  run_range(loop, caller, 0, worker_count(), ChunkSize::fixed(1), take_part);
}

template <class T, class F>
class CountingFeeder final : public Feeder<T> {
 public:
  CountingFeeder(F& body, const std::stop_token& stop) : body_(body), stop_(stop) {}

  void add(T item) override {
    spawn(added_, [this, item = std::move(item)]() mutable { run(item); });
  }
  // Runs the body for an element or an added item.
  template <class Item>
  void run(Item&& item) {
    if (failed_.is_cancelled()) return;  // dropped: another call has thrown
    JOBS_TRY {
      throw_if_stopped(stop_);
      body_(std::forward<Item>(item), static_cast<Feeder<T>&>(*this));
    }
    JOBS_CATCH_ALL {
      failed_.cancel();
      JOBS_RETHROW;
    }
  }
  // Waits until all added items have ended, transitively; rethrows the first exception.
  void wait() { added_.wait(); }
  void abandon() noexcept {
    failed_.cancel();
    JOBS_TRY { added_.wait(); }
    JOBS_CATCH_ALL {  // dropped: the loop rethrows an earlier exception
    }
  }

 private:
  F& body_;
  const std::stop_token& stop_;
  LoopState failed_;
  Counter added_;
};

}  // namespace detail

JOBS_OF_MODE_BEGIN

/// Calls body(element) for each element of a forward range, in parallel.
///
/// A random-access range is divided as by parallel_for(). Other ranges are walked under a lock, by
/// one worker at a time, in batches of 5 us of work. The walk must cost much less than the body.
///
/// The body runs exactly once per element, unless one throws or a stop is requested, and all calls
/// have ended when parallel_for_each() returns. The order is unspecified. The first exception drops
/// the elements that have not begun, and is rethrown when all calls have ended.
///
/// @snippet loops.cpp parallel_for_each
///
/// @param range  forward range; must outlive the call
/// @param body  callable as body(element); several workers call it concurrently
/// @param stop  token that ends the loop early
/// @throws exception of the body
/// @throws Cancelled if a stop was requested while elements had not begun
/// @throws Error(kStopped) if an unbound thread calls it after shutdown_default()
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n), no allocation
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::forward_range R, class F>
  requires std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for_each(R&& range, F&& body, std::stop_token stop = {}) {
  if constexpr (std::ranges::random_access_range<R> && std::ranges::sized_range<R>) {
    parallel_for(range, body, std::move(stop));
  } else {
    detail::with_context(
        [&](detail::WorkerContext& context) { detail::walk(context, range, body, stop); });
  }
}

/// Calls body(element, feeder) for each element and each item that the body adds.
///
/// The body may call `feeder.add()` with items of the range's value type; body(item, feeder) is
/// called for each of them, too. Each item is a job of its own. The other guarantees are those of
/// parallel_for_each() without a feeder. A std::bad_alloc of Feeder::add() may pass through the
/// body like any exception.
///
/// @snippet loops.cpp feeder
///
/// @param range  forward range; must outlive the call
/// @param body  callable with an element or item, and a Feeder; several workers call it
///   concurrently
/// @param stop  token that ends the loop early
/// @throws exception of the body
/// @throws Cancelled if a stop was requested while elements or items had not begun
/// @throws Error(kStopped) if the scheduler is shut down
/// @throws Error(kNoStack) see @ref waiting
/// @complexity O(n) for n elements and items; one spawn() per item
/// @thread_safety any thread or fiber, concurrently
template <std::ranges::forward_range R, class F>
  requires std::invocable<F&, std::ranges::range_reference_t<R>,
                          Feeder<std::ranges::range_value_t<R>>&> &&
           std::invocable<F&, std::ranges::range_value_t<R>&,
                          Feeder<std::ranges::range_value_t<R>>&>
void parallel_for_each(R&& range, F&& body, std::stop_token stop = {}) {
  detail::CountingFeeder<std::ranges::range_value_t<R>, F> feeder(body, stop);
  JOBS_TRY {
    parallel_for_each(range, [&](std::ranges::range_reference_t<R> element) {
      feeder.run(std::forward<std::ranges::range_reference_t<R>>(element));
    });
  }
  JOBS_CATCH_ALL {
    feeder.abandon();
    JOBS_RETHROW;
  }
  feeder.wait();
}

/// @cond internal
// Wrong calls (jobs/base/wrong_call.hpp).
JOBS_REFUSE_OTHER_CALLS(parallel_for_each,
                        "takes a range, no iterators: write std::ranges::subrange(first, last)")
template <class R, class F, class... Rest>
  requires(std::ranges::range<R> && (!std::ranges::forward_range<R> ||
                                     !(std::invocable<F&, std::ranges::range_reference_t<R>> ||
                                       std::invocable<F&, std::ranges::range_reference_t<R>,
                                                      Feeder<std::ranges::range_value_t<R>>&>)))
auto parallel_for_each(R&&, F&&, Rest&&...) {
  static_assert(
      std::ranges::forward_range<R>,
      "jobs::parallel_for_each: the range must be a forward range: one that can be read again");
  static_assert(!std::ranges::forward_range<R>,
                "jobs::parallel_for_each: body must be callable as f(element) or f(element, "
                "jobs::Feeder<T>&)");
}
/// @endcond

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
