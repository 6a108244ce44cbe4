// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// start_latency_LOAD: a thread that is no worker pushes one job after another, with a random pause
// before each, while the load keeps all workers busy. Figures: the median, the 99th percentile and
// the maximum of the time from the push to the start of the job. Unit: ns.
//
// priority_latency_LOAD_PRIORITY: the same with a job of each priority. A job that has not started
// after kMostWait counts with that time, and is the last one: it starves.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/statistics.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::start_latency {

using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ms;

// Which job the thread pushes. oneTBB has three priorities, of arenas: kCritical and kHigh are
// tasks of an arena with high priority, kLow and kBackground of one with low priority.
enum class Probe : std::uint8_t { kCritical, kHigh, kNormal, kLow, kBackground };

constexpr std::chrono::seconds kMostWait{1};
// Lower jobs start once in 10 ms and once in 100 ms.
constexpr int probes_of(Probe probe, int upper) {
  return probe == Probe::kBackground ? 10 : probe == Probe::kLow ? 40 : upper;
}

// A load of chains: each job computes for kLength and pushes the next job of its chain. kSpinning:
// the pushing thread of the probes computes until the probe has started, and does not sleep.
template <int kCount, std::int64_t kLengthNs, int kItsProbes = 100, bool kSpins = false,
          Probe kItsProbe = Probe::kNormal, bool kMayStarveIt = false>
struct Chains {
  static constexpr bool kMayStarve = kMayStarveIt;
  static constexpr bool kSpinning = kSpins;
  static constexpr int kChains = kCount;
  static constexpr std::chrono::nanoseconds kLength{kLengthNs};
  static constexpr int kProbes = kItsProbes;
  static constexpr Probe kProbe = kItsProbe;
};
using Idle = Chains<0, 0, 200>;
using IdleBusy = Chains<0, 0, 200, true>;
using Chains10us = Chains<64, 10'000>;
using Chains100us = Chains<64, 100'000>;
// A fair queue makes a probe wait for 32 ms.
using Chains1ms = Chains<64, 1'000'000, 40>;
using TwoChains1ms = Chains<2, 1'000'000>;
template <Probe kProbe>
using Flood = Chains<64, 100'000, probes_of(kProbe, 100), false, kProbe, true>;

// A load of loops in loops, one after another.
template <Probe kItsProbe, bool kMayStarveIt = false>
struct NestedLoops {
  static constexpr bool kMayStarve = kMayStarveIt;
  static constexpr int kOuter = 4;
  static constexpr bool kSpinning = false;
  static constexpr int kInner = 50;
  static constexpr std::chrono::nanoseconds kLength = 200us;
  static constexpr int kProbes = probes_of(kItsProbe, 60);
  static constexpr Probe kProbe = kItsProbe;
};
using Loops = NestedLoops<Probe::kNormal>;
using LoopsCritical = NestedLoops<Probe::kCritical>;
template <Probe kProbe>
using FloodOfLoops = NestedLoops<kProbe, true>;

// The jobs that a load has running or in queues. Static: the last one may still execute
// notify_one() when the waiter continues.
inline std::atomic<int>& jobs_left() {
  static std::atomic<int> left;
  return left;
}
inline void end_job() {
  if (jobs_left().fetch_sub(1) == 1) jobs_left().notify_one();
}
inline void await_jobs() {
  std::atomic<int>& left = jobs_left();
  for (int rest = left.load(); rest != 0; rest = left.load()) left.wait(rest);
}

// The load that a contender runs. `push(job)` passes a job of the load to the runtime.
class Running {
 public:
  template <class Load, class Push>
  void start_chains(const Push& push) {
    jobs_left() = Load::kChains;
    for (int i = 0; i < Load::kChains; ++i) {
      push([this, &push] {
        ++begun_;
        link<Load>(push);
      });
    }
    while (begun_.load() != Load::kChains) std::this_thread::sleep_for(1ms);
  }
  // `loops()` runs the loops of the load once.
  template <class Push, class Loops>
  void start_loops(const Push& push, const Loops& loops) {
    jobs_left() = 1;
    push([this, &loops] {
      while (!stop_.load(std::memory_order_relaxed)) loops();
      end_job();
    });
  }
  void stop() {
    stop_ = true;
    await_jobs();
  }

 private:
  template <class Load, class Push>
  void link(const Push& push) {
    spin_for(Load::kLength);
    if (stop_.load(std::memory_order_relaxed)) return end_job();
    push([this, &push] { link<Load>(push); });
  }

  std::atomic<int> begun_{0};
  std::atomic<bool> stop_{false};
};

// The time from each push to the start of its job. `push(job)` passes a job to the runtime.
template <class Load, class Push>
Figures delays(const Push& push) {
  // Static, for the same reason as jobs_left().
  static std::atomic<double> delay;
  // The number of the probe that is awaited: one that has starved starts later.
  static std::atomic<std::uint64_t> awaited;
  constexpr std::chrono::milliseconds kRampUp{20};
  std::minstd_rand random;
  std::uniform_int_distribution<int> pause_us(500, 2'500);
  std::vector<double> samples;
  std::this_thread::sleep_for(kRampUp);
  for (int i = 0; i < Load::kProbes; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us(random)));
    delay = 0;
    const std::uint64_t number = ++awaited;
    const Stopwatch since_push;
    push([number, since_push] {
      if (number != awaited) return;
      delay = since_push.elapsed_ns();
      delay.notify_one();
    });
    constexpr double kMostWaitNs = std::chrono::nanoseconds(kMostWait).count();
    while (Load::kMayStarve && delay.load() == 0 && since_push.elapsed_ns() < kMostWaitNs)
      std::this_thread::sleep_for(50us);
    if (Load::kMayStarve && delay.load() == 0) {
      ++awaited;
      samples.push_back(kMostWaitNs);
      break;
    }
    while (Load::kSpinning && delay.load() == 0) {
    }
    delay.wait(0);
    samples.push_back(delay);
  }
  return {quantile(samples, 0.5), quantile(samples, 0.99), quantile(samples, 1)};
}

// Calls instantiate(Load) for each load of priority_latency.
#define BENCH_PRIORITY_LOADS(instantiate)                                                       \
  instantiate(Flood<Probe::kCritical>) instantiate(Flood<Probe::kHigh>)                         \
      instantiate(Flood<Probe::kNormal>) instantiate(Flood<Probe::kLow>)                        \
          instantiate(Flood<Probe::kBackground>) instantiate(FloodOfLoops<Probe::kCritical>)    \
              instantiate(FloodOfLoops<Probe::kHigh>) instantiate(FloodOfLoops<Probe::kNormal>) \
                  instantiate(FloodOfLoops<Probe::kLow>)                                        \
                      instantiate(FloodOfLoops<Probe::kBackground>)

template <class Load>
Figures on_jobs(const Conditions&);
template <class Load>
Figures on_tbb(const Conditions&);

}  // namespace bench::start_latency
