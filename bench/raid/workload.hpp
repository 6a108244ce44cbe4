// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// raid: the owner of a deque pushes a job and computes, without a look at its deque, while the only other worker is busy; then that
// one becomes free. Unit: ns until the job starts there. The owner does nothing for it, so where pushes are private it must be raided.
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
  double away_ns;  // time around it in which the machine did not run the owner, or not the thief
};

// The time in which the calling thread did not run, since the construction: it waited for a processor, the hypervisor ran others, or
// it slept.
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

// The jobs of the samples: each keeps the thief busy until the next one has been pushed. Job 0 is of no sample.
class Relay {
 public:
  explicit Relay(std::size_t samples) : runs_(samples + 1) {}

  // Job `number`; not by the owner.
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
  // Frees the thief. pre: job `number` has been pushed.
  Sample take(std::size_t number) {
    asked_.store(number, std::memory_order_release);
    await(ready_, number);
    const Absence own;
    const Clock::time_point free = Clock::now();
    released_.store(number, std::memory_order_release);
    await(started_, number + 1);
    return {std::chrono::duration<double, std::nano>(start_ - free).count(), own.so_far_ns() + away_ns_};
  }
  void end() {
    asked_.store(runs_.size(), std::memory_order_release);
    released_.store(runs_.size(), std::memory_order_release);
  }
  // Throws WrongResult unless each job has run once.
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

// spawn(f) pushes a job; what comes before it makes the push private, where there is such a thing.
template <class Spawn>
std::vector<Sample> take_samples(Relay& relay, std::size_t count, Spawn&& spawn) {
  // Raids have a budget of one each 50 us; no sample is to wait for that.
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

// Samples by jobs with two workers, and what its scheduler counted meanwhile.
struct Samples {
  std::vector<Sample> all;
  std::uint64_t raids;
  std::uint64_t parks;  // of the thief, which should have nothing to wait for
};
Samples samples_of_jobs(std::size_t count);

// Latencies of those samples in which the machine ran both; of all if there are none.
std::vector<double> undisturbed(const std::vector<Sample>& samples);

// Figures: the median, and 99.9 % are not later.
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::raid
