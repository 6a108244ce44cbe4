// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ParallelPhases: counts the live ParallelPhase objects of a scheduler, and its spinning workers. A
// spinning worker has found nothing for the usual search time, and continues to search.
//
// Internal to the runtime; each scheduler owns one. All values are hints, so they order no memory
// access.
#pragma once

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ParallelPhases {
 public:
  // Number of searches that a worker without success may repeat in a row. A simulation finds
  // deadlocks by the sleep of all threads, so it needs a small number.
#if defined(JOBS_SIMULATED)
  static constexpr unsigned kMaxSearches = 4;
#else
  static constexpr unsigned kMaxSearches = ~0u;
#endif

  // --- any thread ---
  void open() noexcept { open_.fetch_add(1, std::memory_order_relaxed); }
  void close() noexcept { open_.fetch_sub(1, std::memory_order_relaxed); }
  bool any() const noexcept { return open_.load(std::memory_order_relaxed) != 0; }
  bool has_too_many(unsigned max) const noexcept {
    return spinning_.load(std::memory_order_relaxed) > max;
  }

  // --- workers ---
  // Counts the caller as spinning, and returns true, unless `max` workers spin already.
  bool enter(unsigned max) noexcept {
    unsigned spinning = spinning_.load(std::memory_order_relaxed);
    while (spinning < max) {
      if (spinning_.compare_exchange_weak(spinning, spinning + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  void leave() noexcept { spinning_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  Atomic<unsigned> open_{0};
  Atomic<unsigned> spinning_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
