// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HotRegions: how many HotRegion objects of a scheduler are alive, and how many of its workers are hot: they have found nothing for as
// long as a worker usually searches, and go on. Internal to the runtime; hints, so nothing is ordered by them.
#pragma once

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

class HotRegions {
 public:
  // How often in a row a worker that finds nothing may begin to search anew. A simulation sees deadlocks by all threads sleeping.
#if defined(JOBS_SIMULATED)
  static constexpr unsigned kMostSearches = 4;
#else
  static constexpr unsigned kMostSearches = ~0u;
#endif

  // --- any thread ---
  void open() noexcept { open_.fetch_add(1, std::memory_order_relaxed); }
  void close() noexcept { open_.fetch_sub(1, std::memory_order_relaxed); }
  bool any() const noexcept { return open_.load(std::memory_order_relaxed) != 0; }
  bool has_too_many(unsigned most) const noexcept { return hot_.load(std::memory_order_relaxed) > most; }

  // --- workers ---
  // Counts the caller as hot, unless there are so many already.
  bool enter(unsigned most) noexcept {
    unsigned hot = hot_.load(std::memory_order_relaxed);
    while (hot < most) {
      if (hot_.compare_exchange_weak(hot, hot + 1, std::memory_order_relaxed, std::memory_order_relaxed)) return true;
    }
    return false;
  }
  void leave() noexcept { hot_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  Atomic<unsigned> open_{0};
  Atomic<unsigned> hot_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
