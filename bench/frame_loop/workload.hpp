// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loops at the rhythm of programs with frames, as classes of one shape: kLoops loops per frame,
// each of kIterations equal iterations that take kLoopNs on one thread.
//
//   frame_loop   a loop of 50 iterations and 82 us each 200 us; the calling thread polls the clock
//                meanwhile
//   small_loops  loops of 14 us, one after another
//   frame_60hz   50 loops of 150 us each 16.7 ms; the calling thread sleeps meanwhile
//
// The length of an iteration is measured once per process, because the gates are times.
//
// The first figure is the median time of a frame's loops, per loop in the first two workloads and
// per frame in the last one. The second figure is the use of the processors by all threads of the
// process: as a number of cores (frame_loop, small_loops), or as the CPU time per frame
// (frame_60hz).
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "bench/support/chain.hpp"
#include "bench/support/contender.hpp"
#include "bench/support/process.hpp"
#include "bench/support/statistics.hpp"

namespace bench::frame_loop {

using Clock = std::chrono::steady_clock;

struct Short {
  static constexpr std::size_t kIterations = 50;
  static constexpr double kLoopNs = 82'000;
  static constexpr int kLoops = 1;
  static constexpr int kFrames = 1'500;
  static constexpr std::chrono::nanoseconds kPeriod = std::chrono::microseconds(200);
  static constexpr bool kSleeps = false;
  static constexpr bool kPerFrame = false;
};
struct Small {
  static constexpr std::size_t kIterations = 64;
  static constexpr double kLoopNs = 14'000;
  static constexpr int kLoops = 1;
  static constexpr int kFrames = 10'000;
  static constexpr std::chrono::nanoseconds kPeriod{0};
  static constexpr bool kSleeps = false;
  static constexpr bool kPerFrame = false;
};
struct SixtyHertz {
  static constexpr std::size_t kIterations = 100;
  static constexpr double kLoopNs = 150'000;
  static constexpr int kLoops = 50;
  static constexpr int kFrames = 24;
  static constexpr std::chrono::nanoseconds kPeriod = std::chrono::nanoseconds(16'666'667);
  static constexpr bool kSleeps = true;
  static constexpr bool kPerFrame = true;
};

template <class Rhythm>
void wait_for_frame(Clock::time_point at) {
  if constexpr (Rhythm::kSleeps) {
    std::this_thread::sleep_until(at);
  } else {
    while (Clock::now() < at) {
    }
  }
}

// One loop without a runtime.
template <class Rhythm>
void run_serially(std::vector<std::uint32_t>& sums, std::int64_t steps) {
  for (std::uint32_t& sum : sums) sum += chain(kFirst, steps);
}

// Returns the steps of an iteration. The fastest of several loops counts: a disturbed measurement
// would make the work of the whole process too short.
template <class Rhythm>
std::int64_t iteration_steps() {
  static const std::int64_t steps = [] {
    constexpr int kSamples = 200;
    constexpr int kCorrections = 3;
    std::vector<std::uint32_t> sums(Rhythm::kIterations);
    auto guess = static_cast<double>(kShortSteps);
    for (int correction = 0; correction < kCorrections; ++correction) {
      double fastest = 1e12;
      for (int sample = 0; sample < kSamples; ++sample) {
        const Stopwatch stopwatch;
        run_serially<Rhythm>(sums, static_cast<std::int64_t>(guess));
        fastest = std::min(fastest, stopwatch.elapsed_ns());
      }
      guess *= Rhythm::kLoopNs / fastest;
    }
    return static_cast<std::int64_t>(guess);
  }();
  return steps;
}

// `for_all(n, body)` calls body(i) once for each i in [0, n), with n = kIterations.
template <class Rhythm, class ForAll>
Figures figures_of(ForAll&& for_all) {
  const std::int64_t steps = iteration_steps<Rhythm>();
  std::vector<std::uint32_t> sums(Rhythm::kIterations);
  const auto run_loops = [&] {
    for (int loop = 0; loop < Rhythm::kLoops; ++loop) {
      for_all(Rhythm::kIterations,
              [&sums, steps](std::size_t i) { sums[i] += chain(kFirst, steps); });
    }
  };
  // The runtime may learn the rhythm: a quarter of the frames is warm-up.
  constexpr int kWarmUp = Rhythm::kFrames / 4;
  std::vector<double> samples;
  double cpu_ns = 0;
  Clock::time_point start;
  Clock::time_point next = Clock::now();
  for (int frame = -kWarmUp; frame < Rhythm::kFrames; ++frame) {
    wait_for_frame<Rhythm>(next);
    if (frame == 0) {
      start = Clock::now();
      cpu_ns = cpu_time_ns();
    }
    const Stopwatch stopwatch;
    run_loops();
    if (frame >= 0) samples.push_back(stopwatch.elapsed_ns());
    // A late frame does not make the next one late.
    next = std::max(next + Rhythm::kPeriod, Clock::now());
  }
  wait_for_frame<Rhythm>(next);
  cpu_ns = cpu_time_ns() - cpu_ns;
  const double wall_ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
  const std::uint32_t each =
      static_cast<std::uint32_t>((kWarmUp + Rhythm::kFrames) * Rhythm::kLoops) *
      chain(kFirst, steps);
  for (const std::uint32_t sum : sums) expect_equal(each, sum);
  return {median(std::move(samples)),
          Rhythm::kPerFrame ? cpu_ns / Rhythm::kFrames : cpu_ns / wall_ns};
}

template <class Rhythm>
Figures serial(const Conditions&);
template <class Rhythm>
Figures on_jobs(const Conditions&);
template <class Rhythm>
Figures on_tbb(const Conditions&);
// Null if the compiler's OpenMP is not libgomp.
template <class Rhythm>
Contender on_libgomp();

}  // namespace bench::frame_loop
