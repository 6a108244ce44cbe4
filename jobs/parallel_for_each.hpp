// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// parallel_for_each: a loop over anything that one can walk along, to which the body may add as it goes.
//
//   jobs::parallel_for_each(list, [](Node& node) { node.update(); });
//   jobs::parallel_for_each(roots, [&](Page& page, jobs::Feeder<Page>& more) {
//     for (Page& link : page.links()) more.add(link);
//   });
//
// Any thread may call it, as parallel_for. Promised: the body runs exactly once for each element and each added item, unless one
// throws or a stop is requested; all have ended when it returns. Not promised: an order.
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

// Where the body of a parallel_for_each puts further items; valid until its call returns.
template <class T>
class Feeder {
 public:
  Feeder(const Feeder&) = delete;
  Feeder& operator=(const Feeder&) = delete;

  // The body will run for `item`, on any worker, perhaps before this returns. From calls of the body only. Costs a spawn().
  virtual void add(T item) = 0;

 protected:
  Feeder() = default;
  ~Feeder() = default;
};

namespace detail JOBS_OF_MODE {

// Hands out the elements of a forward range in batches; one worker walks at a time.
template <class I, class S>
class Walk {
 public:
  struct Batch {
    I first;
    std::uint64_t size;
  };
  Walk(I first, S last) : next_(std::move(first)), last_(std::move(last)) {}

  Batch take(std::uint64_t most) {
    const std::scoped_lock lock(mutex_);
    Batch batch{next_, 0};
    for (; batch.size < most && next_ != last_; ++next_) ++batch.size;
    return batch;
  }

 private:
  Mutex mutex_;
  I next_;
  S last_;
};

// One worker begins; the others are asked once it is clear that this pays.
template <class R, class F>
void walk(Lane& caller, R& range, F& body, const std::stop_token& stop) {
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
    size.adapt(os::quick_now() - start, batch.size, 0);  // nobody knows how much is left
    return true;
  };
  ChunkSize begun = ChunkSize::automatic();
  for (const os::Nanoseconds start = os::quick_now();
       !caller.has_thieves() || os::quick_now() - start < kWorthWaking;) {
    if (!run_batch(begun)) return;
  }
  auto take_part = [&](std::uint64_t, std::uint64_t) {
    ChunkSize size = begun;
    while (!loop.is_cancelled() && run_batch(size)) {
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
  // An element or an added item.
  template <class Item>
  void run(Item&& item) {
    if (failed_.is_cancelled()) return;  // dropped: somebody throws
    JOBS_TRY {
      throw_if_stopped(stop_);
      body_(std::forward<Item>(item), static_cast<Feeder<T>&>(*this));
    }
    JOBS_CATCH_ALL {
      failed_.cancel();
      JOBS_RETHROW;
    }
  }
  // Until all that was added, and what that added, has ended; rethrows the first exception.
  void wait() { added_.wait(); }
  void abandon() noexcept {
    failed_.cancel();
    JOBS_TRY { added_.wait(); }
    JOBS_CATCH_ALL {  // another one is on its way
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

// Calls body(element) for each element. Random-access ranges are divided as by parallel_for; others are walked by one worker at a
// time, in batches of 5 us of work, under a lock: the walk must cost much less than the body. The first exception drops what has
// not begun and is rethrown when all has ended. Throws Cancelled if `stop` was requested while elements had yet to begin. O(n), no
// allocation.
template <std::ranges::forward_range R, class F>
requires std::invocable<F&, std::ranges::range_reference_t<R>>
void parallel_for_each(R&& range, F&& body, std::stop_token stop = {}) {
  if constexpr (std::ranges::random_access_range<R> && std::ranges::sized_range<R>) {
    parallel_for(range, body, std::move(stop));
  } else {
    detail::with_lane([&](detail::Lane& lane) { detail::walk(lane, range, body, stop); });
  }
}

// Calls body(element, feeder), which may feeder.add() items of the range's value type; body(item, feeder) is called for them, too.
// Each item is a job of its own. As above; a std::bad_alloc of add() may pass through the body like any exception.
template <std::ranges::forward_range R, class F>
requires std::invocable < F&, std::ranges::range_reference_t<R>, Feeder<std::ranges::range_value_t<R>>
& > &&std::invocable<F&, std::ranges::range_value_t<R>&, Feeder<std::ranges::range_value_t<R>>&> void parallel_for_each(
        R&& range, F&& body, std::stop_token stop = {}) {
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

// Wrong calls (jobs/base/wrong_call.hpp).
template <class R, class F, class... Rest>
requires(std::ranges::range<R> &&
         (!std::ranges::forward_range<R> ||
          !(std::invocable<F&, std::ranges::range_reference_t<R>> ||
            std::invocable<F&, std::ranges::range_reference_t<R>,
                           Feeder<std::ranges::range_value_t<R>>&>))) auto parallel_for_each(R&&, F&&, Rest&&...) {
  static_assert(std::ranges::forward_range<R>,
                "jobs::parallel_for_each: the range must be a forward range: one that can be read again");
  static_assert(!std::ranges::forward_range<R>,
                "jobs::parallel_for_each: body must be callable as f(element) or f(element, jobs::Feeder<T>&)");
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
