// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ArenaPool: the schedulers of all arenas, and of the limits of global_control. An arena leases one
// while it is in use, so a hundred arenas that run one after the other share one set of workers.
//
//     leased --its last lease and job end--> unused --lease() of any arena--> leased
//                                                 \--surplus--> ended
//
// An owner keeps its scheduler until another one of the same size takes it. A scheduler with a job
// that has not ended is never taken: the job may wait for what the next arena does.
//
// Threads: any thread may call any function. lease() of one owner and release() of it exclude each
// other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/default_scheduler.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/arena_scheduler.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/never_destroyed.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

inline bool is_outside() noexcept { return jobs::detail::this_context() == nullptr; }

// Returns the number of threads of the default arena. It need not have started its workers.
inline int default_concurrency() {
  const bool is_in_arena = !is_outside() || seat_of_thread() != nullptr;
  return static_cast<int>(is_in_arena ? default_scheduler().worker_count() : worker_count());
}

// Schedulers with the same values serve any arena with these values.
struct ArenaSize {
  std::size_t workers = 0;
  std::size_t stack = 0;
  int concurrency = 0;      // that the program sees
  bool is_default = false;  // replaces the default scheduler under a limit
  bool extra_callers = false;

  bool operator==(const ArenaSize&) const = default;
};

// The scheduler is in use as long as a lease exists.
using ArenaLease = std::shared_ptr<ArenaScheduler>;

class ArenaPool {
 public:
  static ArenaPool& of_process() { return never_destroyed<ArenaPool>(); }

  // Returns the scheduler of the owner if it has this size, else an unused one, else a new one.
  JOBS_TAG_OF_MODE ArenaLease lease(const void* owner, const ArenaSize& size) {
    const auto kept = static_cast<std::size_t>(default_concurrency());
    std::vector<Entry> surplus;  // ends without the lock
    {
      const std::lock_guard guard(mutex_);
      kept_ = kept;
      std::erase_if(entries_, [](const Entry& entry) { return entry.scheduler->is_inherited(); });
      if (const ArenaLease found = find(owner, size)) return found;
      take_surplus(surplus);
    }
    surplus.clear();
    // Not make_shared: functions of the standard library must not call what differs by mode.
    const ArenaLease started(
        new ArenaScheduler({.worker_count = static_cast<unsigned>(size.workers),
                            .extra_callers = size.extra_callers,
                            .stack_size = size.stack},
                           size.concurrency, size.is_default),
        [](ArenaScheduler* ended) { delete ended; });
    const std::lock_guard guard(mutex_);
    entries_.push_back({started, size, owner});
    return started;
  }
  // Returns a lease of the scheduler if it is that of an arena, else null.
  JOBS_TAG_OF_MODE ArenaLease lease_of(const jobs::detail::Shared& shared) {
    const std::lock_guard guard(mutex_);
    for (const Entry& entry : entries_)
      if (&entry.scheduler->shared() == &shared) return entry.scheduler;
    return nullptr;
  }
  // Keeps the scheduler for its owner until release(), which ends it: observers see its threads.
  JOBS_TAG_OF_MODE void reserve(const ArenaScheduler& scheduler) {
    const std::lock_guard guard(mutex_);
    for (Entry& entry : entries_)
      if (entry.scheduler.get() == &scheduler) entry.is_reserved = true;
  }
  // The owner ends. Returns when the jobs of its scheduler have ended.
  JOBS_TAG_OF_MODE void release(const void* owner) {
    std::vector<Entry> ended;  // outlives the lock
    const std::lock_guard guard(mutex_);
    const auto own = std::find_if(entries_.begin(), entries_.end(),
                                  [owner](const Entry& entry) { return entry.owner == owner; });
    if (own == entries_.end()) return;
    Entry entry = std::move(*own);
    entries_.erase(own);
    entry.owner = nullptr;
    if (!entry.ends_soon()) return ended.push_back(std::move(entry));
    entries_.push_back(std::move(entry));
    take_surplus(ended);
  }

 private:
  struct Entry {
    ArenaLease scheduler;
    ArenaSize size;
    const void* owner = nullptr;
    bool is_reserved = false;

    // The pool alone has a lease, and gives out others under its lock.
    bool is_unused() const {
      return scheduler.use_count() == 1 && !is_reserved && scheduler->is_at_rest();
    }
    // As is_unused(), with some patience: a job ends after the thread that waits for it goes on.
    bool ends_soon() const {
      for (int i = 0; i < 100 && !is_unused(); ++i) std::this_thread::yield();
      return is_unused();
    }
  };

  ArenaLease find(const void* owner, const ArenaSize& size) {
    for (Entry& entry : entries_) {
      if (entry.owner != owner) continue;
      if (entry.size == size) return entry.scheduler;
      entry.owner = nullptr;
    }
    for (Entry& entry : entries_) {
      if (entry.size != size || !entry.is_unused()) continue;
      entry.owner = owner;
      return entry.scheduler;
    }
    return nullptr;
  }
  std::size_t unused_workers() const {
    std::size_t sum = 0;
    for (const Entry& entry : entries_)
      if (entry.is_unused()) sum += entry.size.workers;
    return sum;
  }
  // Moves the oldest unused schedulers there while their workers are too many.
  void take_surplus(std::vector<Entry>& surplus) {
    while (unused_workers() > kept_) {
      const auto oldest = std::find_if(entries_.begin(), entries_.end(),
                                       [](const Entry& entry) { return entry.is_unused(); });
      if (oldest == entries_.end()) return;  // a job has begun
      surplus.push_back(std::move(*oldest));
      entries_.erase(oldest);
    }
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;  // unused ones in the order of their release
  std::size_t kept_ = 0;        // unused workers that stay
};

}  // namespace jobs::inline JOBS_ABI::tbb::detail
