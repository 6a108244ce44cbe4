// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Allowance: how many of its workers a scheduler may use at present, as far as the machine has a say: affinity masks and CPU quotas change
// while programs run. Nobody waits for such a change: workers that pass by look, at most so often, and one at a time.
//
// A number of workers that somebody has asked for stays. One that was detected is the most: a smaller quota or mask makes the workers from
// `active` on surplus, which rest (Worker::rest), until it grows again.
#pragma once

#include <mutex>
#include <span>
#include <string>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/base/worker_count.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Allowance {
 public:
  // The workers that had to rest and need no longer, or the other way round. Empty: nothing has changed.
  struct Change {
    unsigned first = 0;
    unsigned end = 0;
  };

  static constexpr os::Nanoseconds kLookEvery = 100'000'000;

  // `least`: workers without which some jobs could not run. `cpus`: of the machine.
  Allowance(const WorkerCount& chosen, unsigned least, std::size_t cpus)
      : count_(chosen.count),
        least_(chosen.detected ? least : chosen.count),
        active_(chosen.count),
        most_hot_(chosen.count > cpus ? 0 : (chosen.detected ? chosen.count : static_cast<unsigned>(cpus)) - 1),
        oversubscribed_(chosen.count > cpus),
        search_time_(chosen.count > cpus ? kShortSearch : kSearch) {}

  // --- any thread; hints ---
  unsigned active() const noexcept { return active_.load(std::memory_order_relaxed); }
  bool is_surplus(unsigned worker) const noexcept { return worker >= active(); }
  bool has_surplus() const noexcept { return active() < count_; }
  bool is_oversubscribed() const noexcept { return oversubscribed_.load(std::memory_order_relaxed); }
  // How long a worker searches before it sleeps.
  os::Nanoseconds search_time() const noexcept { return search_time_.load(std::memory_order_relaxed); }
  // How many workers may go on searching for as long as somebody wants them to (HotRegion).
  unsigned most_hot() const noexcept { return most_hot_.load(std::memory_order_relaxed); }
  bool is_look_due(os::Nanoseconds now) const noexcept { return now >= next_look_.load(std::memory_order_relaxed); }

  // --- workers ---
  // Asks the machine, unless somebody else just does. `threads`: all of them; empty: they have not all started. A tenth of a millisecond.
  // Whoever gets a change tells those whom it concerns: nobody else will get that one.
  Change look(os::Nanoseconds now, std::span<const os::ThreadId> threads) noexcept;

  // --- users ---
  // Since the first look.
  CpuThrottling throttled() const noexcept {
    return {.periods = throttled_periods_.load(std::memory_order_relaxed),
            .nanoseconds = throttled_ns_.load(std::memory_order_relaxed)};
  }
  // "; 1 of 4 workers in use: CPU quota of 0.5 ...; throttled ..."; empty if there is nothing to say.
  std::string describe() const;

 private:
  // Bursts of loops find a hot worker; measured by the rows wake_hot and for_empty.
  static constexpr os::Nanoseconds kSearch = 50'000;
  // More workers than CPUs: spinning takes the CPU from whom we wait for. Throttled: it takes it from ourselves, a little later.
  static constexpr os::Nanoseconds kShortSearch = 2'000;

  const unsigned count_;
  const unsigned least_;
  Atomic<unsigned> active_;
  Atomic<unsigned> most_hot_;  // one less than there are CPUs: whoever gives them work needs one
  Atomic<bool> oversubscribed_;
  Atomic<os::Nanoseconds> search_time_;
  Atomic<os::Nanoseconds> next_look_{os::now() + kLookEvery};
  Atomic<std::uint64_t> throttled_periods_{0};
  Atomic<std::uint64_t> throttled_ns_{0};

  mutable ThreadMutex mutex_;  // for all below
  bool has_looked_ = false;
  CpuThrottling first_;
  std::string reason_;
};

}  // namespace jobs::inline JOBS_ABI::detail
