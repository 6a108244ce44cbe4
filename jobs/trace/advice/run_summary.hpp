// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunSummary: the figures of a run from which findings follow (findings.hpp). Plain data, for one
// thread. Times are in nanoseconds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Times of the same kind, for quantiles.
class Samples {
 public:
  void add(std::uint64_t time) {
    times_.push_back(time);
    total_ += time;
  }
  const std::vector<std::uint64_t>& times() const noexcept { return times_; }
  std::size_t count() const noexcept { return times_.size(); }
  std::uint64_t total() const noexcept { return total_; }
  // Returns 0 without times.
  std::uint64_t longest() const noexcept {
    return times_.empty() ? 0 : *std::max_element(times_.begin(), times_.end());
  }
  std::uint64_t median() const {
    if (times_.empty()) return 0;
    std::vector<std::uint64_t> sorted = times_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }

 private:
  std::vector<std::uint64_t> times_;
  std::uint64_t total_ = 0;
};

// The time in which the only worker that ran anything ran this code, while other workers were idle,
// by the reason for which the other workers had nothing to run.
struct AloneTimes {
  std::uint64_t locked = 0;  // a fiber waited for a mutex
  std::uint64_t piled = 0;   // other fibers of the same worker were ready
  std::uint64_t loop = 0;    // the code was in a chunk of a loop
  std::uint64_t plain = 0;   // there was nothing else
};

// The function of a job, or the creation site of a Fiber.
struct CodeSummary {
  std::string name;
  // The address of the function; 0: unknown, or a creation site.
  std::uint64_t function = 0;
  Samples runs;       // of each job, without its waits
  Samples scheduled;  // the same, of the jobs that a worker has taken from a queue
  Samples chunks;     // of loops that it calls
  Samples stretches;  // of each run, from its begin or a wait to the next wait or its end
  Samples loops;      // of each loop that it calls, the time in which one worker had the rest of it
  AloneTimes alone;
  std::uint64_t resumptions = 0;
  std::uint64_t yields = 0;
  std::uint64_t blocked = 0;  // the kernel had suspended its thread; of the profile
  // Jobs of which the memory node of the creator and their own are known, and those of them for
  // which the two differ.
  std::uint64_t placed = 0;
  std::uint64_t remote = 0;
  std::uint64_t late = 0;  // of all deadlines, the part of their lateness in which it ran
};

struct LockSummary {
  std::string name;
  std::string waiter;  // code of the last waiter
  std::string holder;  // code of the last holder
  Samples waits;
  Samples holds;
  std::uint64_t waited = 0;  // the time in which at least one fiber waited
};

struct RunSummary {
  unsigned workers = 0;
  unsigned cpus = 0;
  // Sums over all workers and the whole run: the profile has them, also if events are lost.
  std::uint64_t awake_workers = 0;
  std::uint64_t without_cpu = 0;
  std::uint64_t jobs = 0;
  // Sums over all workers, from the events.
  std::uint64_t useful = 0;
  std::uint64_t scheduler = 0;
  std::uint64_t searching = 0;
  // The time from the first event to the end of the run.
  std::uint64_t length = 0;
  // The part of it in which at least one worker was awake.
  std::uint64_t awake = 0;
  // Times between two jobs, or two runs of fibers, without a search in between.
  Samples gaps;
  // Times between the begin of a search and its end, without the sleep, if it has found work.
  Samples searches;
  // Useful times between two searches.
  Samples spells;
  // Latenesses of deadlines.
  Samples timers;
  std::vector<CodeSummary> codes;
  std::vector<LockSummary> locks;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
