// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ConcurrencyLimit: the number of workers that the machine allows a scheduler to use at present.
// Affinity masks and CPU quotas change while programs run. No thread waits for such a change:
// running workers read the limits, at most once per `kCheckInterval`, and one worker at a time.
//
// Each scheduler owns one. Any thread may read the hints; workers read the limits of the machine.
//
// A number of workers that the program asked for stays. A detected number is the maximum. If the
// quota or the mask shrinks, the workers from `active` on are excess workers. They retire
// (Worker::retire) until the quota or the mask grows again.
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/base/worker_count.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ConcurrencyLimit {
 public:
  // The range of workers that have to retire, or that may work again. It is empty if nothing has
  // changed.
  struct Change {
    unsigned first = 0;
    unsigned end = 0;
  };

  static constexpr os::Nanoseconds kCheckInterval = 100'000'000;

  // `min_active`: minimum number of workers; with fewer, some jobs could not run.
  // `cpus`: number of CPUs of the machine.
  ConcurrencyLimit(const WorkerCount& chosen, unsigned min_active, std::size_t cpus)
      : count_(chosen.count),
        threads_(chosen.count),
        min_active_(chosen.detected ? min_active : chosen.count),
        active_(chosen.count),
        max_spinning_(chosen.count > cpus
                          ? 0
                          : (chosen.detected ? chosen.count : static_cast<unsigned>(cpus)) - 1),
        oversubscribed_(chosen.count > cpus),
        cpus_(static_cast<unsigned>(cpus)),
        search_time_(kSearch) {}

  // --- any thread: hints ---
  unsigned active() const noexcept { return active_.load(std::memory_order_relaxed); }
  unsigned cpus() const noexcept { return cpus_.load(std::memory_order_relaxed); }
  bool is_excess(unsigned worker) const noexcept { return worker >= active(); }
  bool has_excess() const noexcept { return active() < count_; }
  bool is_oversubscribed() const noexcept {
    return oversubscribed_.load(std::memory_order_relaxed);
  }
  // Returns the time for which a worker searches before it sleeps. `crowded`: more threads
  // are awake than CPUs exist. A searching worker then takes the CPU from one of them.
  os::Nanoseconds search_time(bool crowded) const noexcept {
    return crowded ? kShortSearch : search_time_.load(std::memory_order_relaxed);
  }
  // Returns the number of workers that may spin while a ParallelPhase is open.
  unsigned max_spinning() const noexcept { return max_spinning_.load(std::memory_order_relaxed); }
  bool is_check_due(os::Nanoseconds now) const noexcept {
    return now >= next_check_.load(std::memory_order_relaxed);
  }

  // --- workers ---
  // Reads the limits of the machine, unless another worker is reading them. Takes 0.1 ms and
  // allocates nothing.
  // `collect(memory)` returns the threads whose masks count, in memory for `count` threads; empty
  // if some of them have not started.
  // The worker that observes a change notifies every affected worker; each change is observed once.
  template <class Collect>
  Change check(os::Nanoseconds now, const Collect& collect) noexcept {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || !is_check_due(now)) return {};
    return check_masks(now, collect(std::span(threads_.begin(), threads_.end())));
  }

  // --- users ---
  // Returns the throttling since limits were read for the first time.
  JOBS_ALWAYS_INLINE CpuThrottling throttled() const noexcept {
    return {.periods = throttled_periods_.load(std::memory_order_relaxed),
            .nanoseconds = throttled_ns_.load(std::memory_order_relaxed)};
  }
  // Returns, for example, "; 1 of 4 in use: CPU quota of 0.5 ...; throttled ...". Returns an empty
  // string if there are neither excess workers nor throttling.
  std::string describe() const;

 private:
  // So long that bursts of loops find a spinning worker; measured by the rows wake_hot and
  // for_empty.
  static constexpr os::Nanoseconds kSearch = 50'000;
  // With more workers than CPUs, a spinning worker takes the CPU from the thread that it waits for.
  // With throttling, it takes the CPU from itself, a little later.
  static constexpr os::Nanoseconds kShortSearch = 2'000;

  Change check_masks(os::Nanoseconds now, std::span<const os::ThreadId> threads) noexcept;

  const unsigned count_;
  const HeapArray<os::ThreadId> threads_;  // memory for check()
  const unsigned min_active_;
  Atomic<unsigned> active_;
  Atomic<unsigned> max_spinning_;  // One CPU less: the thread that brings the work needs one.
  Atomic<bool> oversubscribed_;
  Atomic<unsigned> cpus_;
  Atomic<os::Nanoseconds> search_time_;
  Atomic<os::Nanoseconds> next_check_{os::now() + kCheckInterval};
  Atomic<std::uint64_t> throttled_periods_{0};
  Atomic<std::uint64_t> throttled_ns_{0};

  mutable ThreadMutex mutex_;  // Guards the members below.
  bool has_checked_ = false;
  CpuThrottling first_;
  CpuLimits limits_{};  // the last ones; they matter if has_excess()
};

}  // namespace jobs::inline JOBS_ABI::detail
