// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Which threads have entered the arenas of task_scheduler_observers. A thread enters before the
// first body that it runs there, and leaves when it ends.
//
// Threads: any thread may call any function. Callbacks of one observer may run concurrently. The
// end of an observation waits for the callbacks that run.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/arena_scheduler.hpp"
#include "jobs/interop/tbb/never_destroyed.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

// A hint: the mutex publishes the observations. A body that begins after observe() has returned, by
// a path of synchronisation, sees them.
JOBS_ORDER(kLookForObservers, relaxed);
JOBS_ORDER(kCountObservers, relaxed);

// What an observer does for a thread.
class ObserverCalls {
 public:
  virtual void entered(bool is_worker) = 0;
  virtual void left(bool is_worker) = 0;

 protected:
  ~ObserverCalls() = default;
};

// One period of observation of one arena.
class Observation {
 public:
  Observation(ObserverCalls& calls, const jobs::detail::Shared& arena, bool is_default)
      : calls_(&calls), arena_(&arena), is_default_(is_default) {}

  bool concerns(const jobs::detail::Shared& arena) const {
    return arena_ == &arena || (is_default_ && ArenaScheduler::is_default(arena));
  }
  JOBS_TAG_OF_MODE bool has_ended() {
    const std::lock_guard guard(mutex_);
    return calls_ == nullptr;
  }
  // Calls the observer, unless the observation has ended. The observer must not throw.
  JOBS_TAG_OF_MODE void call(void (ObserverCalls::*function)(bool), bool is_worker) noexcept {
    ObserverCalls* calls = nullptr;
    {
      const std::lock_guard guard(mutex_);
      if (calls_ == nullptr) return;
      calls = calls_;
      ++running_;
    }
    (calls->*function)(is_worker);
    const std::lock_guard guard(mutex_);
    if (--running_ == 0) ended_.notify_all();
  }
  JOBS_TAG_OF_MODE void end() {
    std::unique_lock lock(mutex_);
    calls_ = nullptr;
    ended_.wait(lock, [this] { return running_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  ObserverCalls* calls_;  // null: the observation has ended
  int running_ = 0;
  const jobs::detail::Shared* const arena_;
  const bool is_default_;
};

// The observations of the process.
class Observers {
 public:
  static Observers& of_process() { return never_destroyed<Observers>(); }

  JOBS_TAG_OF_MODE void add(std::shared_ptr<Observation> observation) {
    const std::lock_guard guard(mutex_);
    list_.push_back(std::move(observation));
    count.store(list_.size(), kCountObservers);
    changes.fetch_add(1, kCountObservers);
  }
  JOBS_TAG_OF_MODE void remove(const Observation& observation) {
    const std::lock_guard guard(mutex_);
    std::erase_if(list_, [&](const auto& each) { return each.get() == &observation; });
    count.store(list_.size(), kCountObservers);
    changes.fetch_add(1, kCountObservers);
  }
  // The observations of an arena.
  JOBS_TAG_OF_MODE std::vector<std::shared_ptr<Observation>> of(const jobs::detail::Shared& arena) {
    std::vector<std::shared_ptr<Observation>> found;
    const std::lock_guard guard(mutex_);
    std::copy_if(list_.begin(), list_.end(), std::back_inserter(found),
                 [&](const auto& each) { return each->concerns(arena); });
    return found;
  }

  // The number of observations. While it is 0, a body reads nothing else.
  static inline jobs::detail::Atomic<std::size_t> count{0};
  // The number of begun and ended observations.
  static inline jobs::detail::Atomic<std::uint64_t> changes{0};

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Observation>> list_;
};

// The observations that the thread has entered. Only the thread accesses it.
class EnteredArenas {
 public:
  EnteredArenas() = default;
  JOBS_TAG_OF_MODE ~EnteredArenas() {
    for (const Entered& each : list_) each.observation->call(&ObserverCalls::left, each.is_worker);
  }
  EnteredArenas(const EnteredArenas&) = delete;
  EnteredArenas& operator=(const EnteredArenas&) = delete;

  // Calls the observers of the arena of the thread, once each. `seat`: the arena of which the
  // thread has the seat, or null.
  JOBS_COLD JOBS_TAG_OF_MODE void enter(ArenaScheduler* seat) noexcept {
    const jobs::detail::WorkerContext* const context = jobs::detail::this_context();
    if (context == nullptr && seat == nullptr) return;
    const jobs::detail::Shared& arena = context != nullptr ? context->shared() : seat->shared();
    const std::uint64_t now = Observers::changes.load(kLookForObservers);
    if (now == seen_ && &arena == arena_) return;
    seen_ = now;
    arena_ = &arena;
    std::erase_if(list_, [](const Entered& each) { return each.observation->has_ended(); });
    const bool is_worker = context != nullptr && !context->is_external();
    for (auto& observation : Observers::of_process().of(arena)) {
      if (std::any_of(list_.begin(), list_.end(),
                      [&](const Entered& each) { return each.observation == observation; }))
        continue;
      list_.push_back({observation, is_worker});
      observation->call(&ObserverCalls::entered, is_worker);
    }
  }
  // Calls the observers of that arena: the thread of the program leaves it.
  JOBS_TAG_OF_MODE void leave(const jobs::detail::Shared& arena) noexcept {
    if (list_.empty()) return;
    arena_ = nullptr;
    std::erase_if(list_, [&arena](const Entered& each) {
      if (!each.observation->concerns(arena)) return false;
      each.observation->call(&ObserverCalls::left, each.is_worker);
      return true;
    });
  }

 private:
  struct Entered {
    std::shared_ptr<Observation> observation;
    bool is_worker;
  };
  std::vector<Entered> list_;
  // The state at the last call of enter().
  std::uint64_t seen_ = 0;
  const jobs::detail::Shared* arena_ = nullptr;
};

}  // namespace jobs::inline JOBS_ABI::tbb::detail
