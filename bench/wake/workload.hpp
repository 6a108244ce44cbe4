// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// wake_hot: a worker spawns a job and does not take it itself, 3 us after the preceding job. The
// figure is the time until the other worker has started the job. wake_idle: a loop of two
// iterations of 83 us each, after all threads have been idle for 1 ms. 83 us would be perfect; 166
// us means that no other worker helped. wake_idle_hot: the same, with workers kept spinning
// meanwhile. Unit: ns, the median of many.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/statistics.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::wake {

inline constexpr int kHotWakes = 2'000;
inline constexpr int kIdleLoops = 100;
inline constexpr double kMissedNs = 20e6;
inline constexpr std::chrono::microseconds kHotPause{3};
inline constexpr std::chrono::milliseconds kIdlePause{1};
inline constexpr std::chrono::microseconds kIteration{83};

// `spawn(f)` passes f to the runtime and returns; `wait()` returns after f has run.
template <class Spawn, class Wait>
double hot_ns(Spawn&& spawn, Wait&& wait) {
  std::vector<double> samples;
  samples.reserve(kHotWakes);
  for (int i = 0; i < kHotWakes; ++i) {
    std::atomic<double> started{-1};
    const Stopwatch stopwatch;
    spawn([&] { started.store(stopwatch.elapsed_ns()); });
    // This thread only polls, so that another thread starts the job. A runtime may miss a wake-up,
    // though.
    while (started.load() < 0 && stopwatch.elapsed_ns() < kMissedNs) {
    }
    wait();
    samples.push_back(started.load());
    spin_for(kHotPause);
  }
  return median(std::move(samples));
}

// `loop(body)` runs body(0) and body(1), in parallel if it can.
template <class Loop>
double idle_ns(Loop&& loop) {
  std::vector<double> samples;
  samples.reserve(kIdleLoops);
  for (int i = 0; i < kIdleLoops; ++i) {
    std::this_thread::sleep_for(kIdlePause);
    std::atomic<int> iterations{0};
    const Stopwatch stopwatch;
    loop([&](int) {
      spin_for(kIteration);
      iterations.fetch_add(1);
    });
    samples.push_back(stopwatch.elapsed_ns());
    expect_equal(2, iterations.load());
  }
  return median(std::move(samples));
}

Figures hot_on_jobs(const Conditions&);
Figures hot_on_tbb(const Conditions&);
Figures idle_serial(const Conditions&);
Figures idle_on_jobs(const Conditions&);
Figures idle_hot_on_jobs(const Conditions&);
Figures idle_on_tbb(const Conditions&);

}  // namespace bench::wake
