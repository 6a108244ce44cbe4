// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// sleep_storm: 20,000 fibers on one thread sleep for random times between 0.2 and 0.3 s, so that
// all sleep before the first one wakes. Then one wakes every 5 us on average. Figures: the median
// and the 99th percentile of the delay of a fiber, in ns.
#pragma once

#include <chrono>
#include <cstdint>
#include <random>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/statistics.hpp"

namespace bench::sleep_storm {

inline constexpr std::int64_t kFibers = 20'000;

class Lateness {
 public:
  Lateness() { ns_.reserve(kFibers); }

  // Runs one fiber; sleep(duration) suspends it for this time.
  template <class Sleep>
  void measure(Sleep&& sleep) {
    using Clock = std::chrono::steady_clock;
    const std::chrono::nanoseconds duration(
        static_cast<std::int64_t>(200'000'000 + random_() % 100'000'000));
    const auto until = Clock::now() + duration;
    sleep(duration);
    ns_.push_back(std::chrono::duration<double, std::nano>(Clock::now() - until).count());
  }
  std::int64_t count() const { return static_cast<std::int64_t>(ns_.size()); }
  Figures figures() const {
    expect_equal(kFibers, count());
    expect_equal(true, quantile(ns_, 0) >= 0);  // no fiber woke early
    return {quantile(ns_, 0.5), quantile(ns_, 0.99)};
  }

 private:
  std::mt19937_64 random_{1};
  std::vector<double> ns_;
};

Figures on_jobs(const Conditions&);
Figures on_boost_fiber(const Conditions&);

}  // namespace bench::sleep_storm
