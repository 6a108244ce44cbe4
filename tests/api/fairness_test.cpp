// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The time from the push of a job to its start, while all workers are busy with other jobs. No kind
// of job waits for the end of the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "jobs/default_scheduler.hpp"
#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/sanitized.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;

constexpr int kSlow = jobs::test::kSanitized ? 5 : 1;

void compute_for(Duration duration) {
  for (const auto end = Clock::now() + duration; Clock::now() < end;) {
  }
}

double in_ms(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// The delays of probes, in the order of their length.
struct Delays {
  Duration median() const { return sorted[sorted.size() / 2]; }
  Duration max() const { return sorted.back(); }
  std::vector<Duration> sorted;
};

class Fairness : public testing::TestWithParam<unsigned> {
 protected:
  // Starts a chain of jobs of that length per worker. Each job spawns the next one.
  void start_chains(Duration length) {
    length_ = length;
    for (unsigned i = 0; i < GetParam(); ++i) scheduler_.spawn(done_, [this] { link(); });
  }
  void stop_chains() {
    stop_ = true;
    done_.wait();
  }
  void link() {
    compute_for(length_.load());
    if (under_next_link_.load(std::memory_order_relaxed) != nullptr) {
      if (const auto* const push = under_next_link_.exchange(nullptr)) (*push)();
    }
    if (!stop_) jobs::spawn(done_, [this] { link(); });
  }
  // Lets the next job of a chain push a job to its deque, below the job that continues the chain.
  Duration delay_below_a_chain() {
    std::atomic<Clock::rep> delay{0};
    const std::function<void()> push = [&] {
      const auto start = Clock::now();
      jobs::spawn(done_,
                  [&, start] { delay = std::max<Clock::rep>((Clock::now() - start).count(), 1); });
    };
    under_next_link_ = &push;
    const auto end = Clock::now() + 3s;
    while (delay == 0 && Clock::now() < end) std::this_thread::sleep_for(100us);
    const bool has_started = delay != 0;
    stop_chains();
    return has_started ? Duration(delay) : Duration(3s);
  }
  // Submits one job after another from this thread, with a pause before each.
  Delays probe(int count, Duration pause, const jobs::SpawnOptions& options) {
    Delays delays;
    for (int i = 0; i < count; ++i) {
      std::this_thread::sleep_for(pause);
      std::atomic<Clock::rep> delay{0};
      const auto start = Clock::now();
      jobs::Counter done;
      scheduler_.spawn(done, [&, start] { delay = (Clock::now() - start).count(); }, options);
      done.wait();
      delays.sorted.emplace_back(delay.load());
    }
    std::sort(delays.sorted.begin(), delays.sorted.end());
    return delays;
  }

  jobs::Scheduler scheduler_{jobs::SchedulerOptions{.worker_count = GetParam()}};
  double shown_delay_in_ms() const {
    return in_ms(std::chrono::nanoseconds(scheduler_.stats().max_start_delay_ns));
  }

  jobs::Counter done_;
  std::atomic<Duration> length_{};
  std::atomic<bool> stop_{false};
  std::atomic<const std::function<void()>*> under_next_link_{nullptr};
};

INSTANTIATE_TEST_SUITE_P(Workers, Fairness, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST_P(Fairness, RunsAJobBelowAChainOfJobs) {
  start_chains(20us);
  std::this_thread::sleep_for(20ms);
  const Duration delay = delay_below_a_chain();
  RecordProperty("delay_us", std::to_string(delay / 1us));
  EXPECT_LT(in_ms(delay), 1'000);
  EXPECT_LT(shown_delay_in_ms(), 1'000);
  // No worker steals the job.
  if (GetParam() == 1) {
    EXPECT_GE(shown_delay_in_ms(), 5);
  }
}

TEST_P(Fairness, RunsAJobFromOutsideBetweenChainsOfLongJobs) {
  start_chains(1ms);
  const Delays delays = probe(40, 1ms, {});
  stop_chains();
  RecordProperty("median_us", std::to_string(delays.median() / 1us));
  RecordProperty("max_us", std::to_string(delays.max() / 1us));
  EXPECT_LT(in_ms(delays.median()), 5 * kSlow);
}

// Short jobs come first: they have set a long interval between two checks of the shared queue.
TEST(Stall, LeavesUnstartedWorkOfABlockedWorkerToAnIdleOne) {
  constexpr int kCount = 50;
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<bool> is_blocked{false};
  std::atomic<int> started{0};
  const auto start = [&] { ++started; };
  jobs::Counter done;
  // Occupies the other worker, so that no thief publishes the deque at a push.
  scheduler.spawn(done, [&] {
    while (!is_blocked) std::this_thread::yield();
  });
  int started_meanwhile = 0;
  std::vector<jobs::Fiber<>> fibers;
  scheduler.spawn(done, [&] {
    for (int i = 0; i < kCount; ++i) jobs::spawn(done, start);
    for (int i = 0; i < kCount; ++i) fibers.emplace_back(start);
    is_blocked = true;
    std::this_thread::sleep_for(500ms * kSlow);  // blocks the worker in the kernel
    started_meanwhile = started;
  });
  while (!is_blocked) std::this_thread::yield();
  for (int i = 0; i < kCount; ++i) scheduler.spawn(done, start);
  done.wait();
  for (jobs::Fiber<>& fiber : fibers) fiber.join();
  EXPECT_EQ(started_meanwhile, 3 * kCount);
}

// Each CPU has a job that computes until a job of its own deque has run. The other workers sleep.
TEST(Stall, LeavesAJobToASleepingWorkerIfARunningJobWaitsForIt) {
  const unsigned cpus = jobs::default_scheduler().worker_count();
  jobs::Scheduler scheduler({.worker_count = cpus + 2});
  std::atomic<unsigned> ran{0};
  std::atomic<unsigned> gave_up{0};
  scheduler.run([&] {
    jobs::Counter all;
    for (unsigned i = 0; i < cpus; ++i) {
      jobs::spawn(all, [&] {
        std::atomic<bool> done{false};
        jobs::Counter child;
        jobs::spawn(child, [&] { done = true; });
        const auto end = Clock::now() + 3s;
        while (!done && Clock::now() < end) {
        }
        ++(done ? ran : gave_up);
        child.wait();
      });
    }
    all.wait();
  });
  EXPECT_EQ(ran, cpus);
  EXPECT_EQ(gave_up, 0u);
}

TEST_P(Fairness, RunsAJobFromOutsideSoonAfterShortJobsBecomeLong) {
  scheduler_.run([] {
    jobs::Counter done;
    for (int i = 0; i < 10'000; ++i) jobs::spawn(done, [] {});
    done.wait();
  });
  std::this_thread::sleep_for(20ms);  // The workers park.
  start_chains(10ms);
  std::this_thread::sleep_for(10ms);
  const Delays delays = probe(1, 0ms, {});
  stop_chains();
  EXPECT_LT(in_ms(delays.max()), 200);
}

// No worker sleeps in between.
TEST_P(Fairness, RunsAJobFromOutsideSoonAfterTheLinksOfChainsBecomeLong) {
  start_chains(1us);
  std::this_thread::sleep_for(20ms);
  length_ = 20ms;
  std::this_thread::sleep_for(10ms);
  const Delays delays = probe(1, 0ms, {});
  stop_chains();
  // Two jobs for each worker on one CPU, at most.
  EXPECT_LT(in_ms(delays.max()), 2 * 20 * GetParam() + 60 * kSlow);
}

// Each worker alternates between the jobs from outside and its chain.
TEST_P(Fairness, RunsChainsUnderAFloodOfLongJobsFromOutside) {
  start_chains(1ms);
  std::this_thread::sleep_for(5ms);
  std::atomic<int> links{0};
  const std::function<void()> count = [&] { ++links; };
  jobs::Counter flood;
  for (unsigned i = 0; i < 60 * GetParam(); ++i) {
    scheduler_.spawn(flood, [&] {
      compute_for(1ms);
      under_next_link_ = &count;  // The next link counts.
    });
  }
  flood.wait();
  stop_chains();
  EXPECT_GE(links, 10);
}

TEST_P(Fairness, ShowsTheLongestDelayOfAJobFromOutside) {
  std::atomic<unsigned> begun{0};
  std::atomic<bool> stop{false};
  for (unsigned i = 0; i < GetParam(); ++i) {
    scheduler_.spawn(done_, [&] {
      for (++begun; !stop; std::this_thread::yield()) {
      }
    });
  }
  while (begun != GetParam()) std::this_thread::yield();
  const double before = shown_delay_in_ms();
  jobs::Counter late;
  scheduler_.spawn(late, [] {});
  std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(before + 20));
  stop = true;
  late.wait();
  done_.wait();
  EXPECT_GE(shown_delay_in_ms(), before + 20);
}

class FairnessOfLoops : public Fairness {
 protected:
  // Probes with critical jobs while nested loops of 200 us per iteration run on all workers.
  void expect_prompt(const jobs::SpawnOptions& options) {
    std::atomic<bool> has_ended{false};
    scheduler_.spawn(done_, [&] {
      const auto end = Clock::now() + 300ms;
      while (Clock::now() < end) {
        jobs::parallel_for(0, 4, [](int) {
          jobs::parallel_for(0, 25 * static_cast<int>(jobs::worker_count()),
                             [](int) { compute_for(200us); });
        });
      }
      has_ended = true;
    });
    const Delays delays = probe(20, 2ms, options);
    RecordProperty("median_us", std::to_string(delays.median() / 1us));
    RecordProperty("max_us", std::to_string(delays.max() / 1us));
    EXPECT_FALSE(has_ended);
    // On fewer CPUs than workers, a worker waits for its time slice.
    EXPECT_LT(in_ms(delays.median()), (GetParam() <= 2 ? 3 : 20) * kSlow);
    EXPECT_LT(in_ms(delays.max()), 50 * kSlow);
    done_.wait();
  }
};

INSTANTIATE_TEST_SUITE_P(Workers, FairnessOfLoops, testing::Values(1, 2, 4),
                         testing::PrintToStringParamName());

TEST_P(FairnessOfLoops, RunsACriticalJobBetweenTwoIterations) {
  expect_prompt({.priority = jobs::Priority::kCritical});
}

TEST_P(FairnessOfLoops, RunsACriticalJobForOneWorkerBetweenTwoIterations) {
  expect_prompt({.on = jobs::worker(0), .priority = jobs::Priority::kCritical});
}

// The critical job waits for a mutex that the frame below the loop owns.
TEST_P(FairnessOfLoops, LetsACriticalJobWaitForTheCallerOfTheLoop) {
  jobs::Mutex mutex;
  bool has_ended = false;
  std::atomic<bool> has_begun{false};
  scheduler_.run([&] {
    jobs::Counter critical;
    {
      const std::lock_guard guard(mutex);
      jobs::parallel_for(0, 100, [&](int i) {
        if (i == 0) {
          for (unsigned w = 0; w < jobs::worker_count(); ++w) {
            jobs::spawn(critical,
                        [&] {
                          has_begun = true;
                          const std::lock_guard inner(mutex);
                          EXPECT_TRUE(has_ended);
                        },
                        {.on = jobs::worker(w), .priority = jobs::Priority::kCritical});
          }
        }
        compute_for(200us);
      });
      EXPECT_TRUE(has_begun);
      has_ended = true;
    }
    critical.wait();
  });
}

// Short turns come first: the worker must not expect that the later ones are short, too.
TEST(Deadlines, PassWithinFewLongJobs) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([] {
    int ran = 0;
    int ran_before_wake_up = -1;
    jobs::Counter done;
    jobs::spawn(done, [&] {
      for (int i = 0; i < 1000; ++i) jobs::yield();
      jobs::this_fiber::sleep_for(1ms);
      ran_before_wake_up = ran;
    });
    for (int i = 0; i < 1000; ++i) jobs::yield();
    for (int i = 0; i < 30; ++i) {
      jobs::spawn(done, [&ran] {
        compute_for(2ms);
        ++ran;
      });
    }
    done.wait();
    EXPECT_LE(ran_before_wake_up, 6);
  });
}

}  // namespace
