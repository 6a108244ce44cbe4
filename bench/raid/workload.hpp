// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// raid: the owner of a deque pushes a job and computes without a look at its deque, while the only
// other worker is busy. Then this other worker becomes free. Unit: ns until the job starts there.
// The owner does not help, so if pushes are private, the thief must force their publication.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::raid {

inline constexpr std::size_t kSamples = 2'000;

struct Sample {
  double latency_ns;
  // Time around the sample in which the machine did not run the owner or the thief.
  double away_ns;
};

// The time since the construction in which the calling thread did not run: it waited for a
// processor, the hypervisor ran other guests, or the thread slept.
class Absence {
 public:
  double so_far_ns() const { return wall_.elapsed_ns() - (cpu_now() - cpu_); }

 private:
  static double cpu_now() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
  }

  const double cpu_ = cpu_now();
  const Stopwatch wall_;
};

// The jobs of the samples. Each keeps the thief busy until the next one has been pushed. Job 0
// belongs to no sample.
class Relay {
 public:
  explicit Relay(std::size_t samples) : runs_(samples + 1) {}

  // Runs job `number`. The owner must not call it.
  void run(std::size_t number) {
    start_ = Clock::now();
    if (thief_) away_ns_ = thief_->so_far_ns();
    ++runs_[number];
    started_.store(number + 1, std::memory_order_release);
    await(asked_, number + 1);
    thief_.emplace();
    ready_.store(number + 1, std::memory_order_release);
    await(released_, number + 1);
  }

  // --- owner ---
  void await_first() { await(started_, 1); }
  // Releases the thief. pre: job `number` has been pushed.
  Sample take(std::size_t number) {
    asked_.store(number, std::memory_order_release);
    await(ready_, number);
    const Absence own;
    const Clock::time_point free = Clock::now();
    released_.store(number, std::memory_order_release);
    await(started_, number + 1);
    return {std::chrono::duration<double, std::nano>(start_ - free).count(),
            own.so_far_ns() + away_ns_};
  }
  void end() {
    asked_.store(runs_.size(), std::memory_order_release);
    released_.store(runs_.size(), std::memory_order_release);
  }
  // Throws WrongResult unless each job has run exactly once.
  void check() const {
    for (const std::uint8_t runs : runs_) expect_equal<unsigned>(1, runs);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static void await(const std::atomic<std::size_t>& number, std::size_t wanted) {
    while (number.load(std::memory_order_acquire) < wanted) {
    }
  }

  alignas(64) std::atomic<std::size_t> asked_{0};
  std::atomic<std::size_t> released_{0};
  alignas(64) std::atomic<std::size_t> started_{0};
  std::atomic<std::size_t> ready_{0};
  std::optional<Absence> thief_;
  Clock::time_point start_;
  double away_ns_ = 0;
  std::vector<std::uint8_t> runs_;
};

// `spawn(f)` pushes a job. The preceding call makes the push private, if the runtime has private
// pushes.
template <class Spawn>
std::vector<Sample> take_samples(Relay& relay, std::size_t count, Spawn&& spawn) {
  // Forced publications have a budget of one per 50 us; no sample waits for it.
  constexpr std::chrono::microseconds kPause{60};
  std::vector<Sample> samples;
  samples.reserve(count);
  spawn([&relay] { relay.run(0); });
  relay.await_first();
  for (std::size_t number = 1; number <= count; ++number) {
    spin_for(kPause);
    spawn([&relay, number] { relay.run(number); });
    samples.push_back(relay.take(number));
  }
  relay.end();
  return samples;
}

// Samples by jobs with two workers, and the counters of its scheduler.
struct Samples {
  std::vector<Sample> all;
  std::uint64_t forced_publications;
  // Parks of the thief, which should never wait.
  std::uint64_t parks;
};
Samples samples_of_jobs(std::size_t count);

// Returns the latencies of the samples in which the machine ran both threads, or of all samples if
// there are none.
std::vector<double> undisturbed(const std::vector<Sample>& samples);

// Figures: the median and the 99.9th percentile.
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::raid
