// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// mutex: one thread locks and unlocks a mutex without contention. mutex_16: 16 jobs share one mutex
// and count under it; the time includes their start. The peer uses 16 threads, because std::mutex
// blocks its thread. Unit: ns per lock and unlock.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::mutex {

inline constexpr std::int64_t kLocks = 5'000'000;
inline constexpr std::int64_t kParties = 16;
inline constexpr std::int64_t kLocksEach = 50'000;

// Counts to `times` under the mutex.
template <class M>
void count(M& mutex, std::int64_t times, std::int64_t& counter) {
  for (std::int64_t i = 0; i < times; ++i) {
    mutex.lock();
    counter = opaque(counter + 1);
    mutex.unlock();
  }
}

template <class M>
double uncontended_ns() {
  M mutex;
  return checked_ns(kLocks,
                    [&] {
                      std::int64_t counter = 0;
                      count(mutex, kLocks, counter);
                      return counter;
                    }) /
         kLocks;
}

// `share()` runs the parties and returns their count.
template <class Share>
double shared_ns(Share&& share) {
  return checked_ns(kParties * kLocksEach, share) / (kParties * kLocksEach);
}

Figures uncontended_on_jobs(const Conditions&);
Figures uncontended_on_std(const Conditions&);
Figures shared_on_jobs(const Conditions&);
Figures shared_on_std(const Conditions&);

}  // namespace bench::mutex
