// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// New fibers are placed so that no worker has many more than the other workers. A started fiber
// never leaves its worker.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"

namespace {

constexpr int kFibers = 1000;
constexpr int kLookEvery = 16;  // suspensions between two looks at the shares

// Makes all workers awake, so that the test does not depend on the time of a wake-up.
void wake_all(jobs::Scheduler& scheduler) {
  std::atomic<unsigned> awake{0};
  jobs::Counter done;
  for (unsigned i = 0; i < scheduler.worker_count(); ++i) {
    scheduler.spawn(done,
                    [&] {
                      ++awake;
                      while (awake != scheduler.worker_count()) std::this_thread::yield();
                    },
                    {.on = jobs::worker(i)});
  }
  done.wait();
}

// Jobs that wait until the test ends them, and the workers on which they have started.
class Waiting {
 public:
  explicit Waiting(jobs::Scheduler& scheduler)
      : scheduler_(scheduler), on_(scheduler.worker_count()) {}
  void operator()() {
    ++on_[*jobs::worker_index()];
    ++started_;
    std::this_thread::yield();  // Another worker may need this CPU.
    end_.wait();
  }
  void await(int count) const {
    while (started_ < count) std::this_thread::yield();
  }
  void end(jobs::Counter& done) {
    end_.signal();
    done.wait();
  }
  int largest() const {
    int most = 0;
    for (const std::atomic<int>& on : on_) most = std::max(most, on.load());
    return most;
  }
  jobs::Stats stats() const { return scheduler_.stats(); }

 private:
  jobs::Scheduler& scheduler_;
  std::vector<std::atomic<int>> on_;
  std::atomic<int> started_{0};
  jobs::Event end_;
};

// How long each other thread of this process was ready, but had no CPU. Empty if the kernel does
// not count it.
class CpuWaits {
 public:
  CpuWaits() {
    const std::string own = std::to_string(gettid());
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::uint64_t ran = 0;
      std::uint64_t waited = 0;
      if (thread.path().filename() != own &&
          std::ifstream(thread.path() / "schedstat") >> ran >> waited)
        waited_ns_[thread.path().filename()] = waited;
    }
  }
  // Returns whether each thread has had a CPU for more than a third of the time since then, or was
  // asleep. On two CPUs, two workers and the calling thread wait for a third of the time each.
  bool are_short_since(const CpuWaits& before) const {
    const std::chrono::nanoseconds passed = at_ - before.at_;
    return std::all_of(waited_ns_.begin(), waited_ns_.end(), [&](const auto& thread) {
      const auto then = before.waited_ns_.find(thread.first);
      const std::uint64_t ns = then == before.waited_ns_.end() ? 0 : then->second;
      return 3 * (thread.second - ns) < 2 * static_cast<std::uint64_t>(passed.count());
    });
  }

 private:
  const std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
  std::map<std::string, std::uint64_t> waited_ns_;
};

// The jobs that a worker above its share starts itself at most, if it has offered its jobs so often
// (jobs/runtime/parking/fiber_share.hpp).
int jobs_alone(std::uint64_t offers) {
  int jobs = 0;
  for (int next = 1; offers > 0 && jobs < kFibers; --offers, next = std::min(2 * next, 256))
    jobs += next;
  return jobs;
}

class FiberShare : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr int kRounds = 5;
  static constexpr auto kPatience = std::chrono::seconds(10);

  // Starts kFibers that wait by start(waiting, done), until kRounds rounds count.
  //
  // A worker that has no CPU in time takes no part, and the other worker starts the jobs after
  // some offers. Such a round does not count, unless there are more workers than CPUs. In each
  // round, a worker has offered its jobs before it exceeds its share.
  template <class Start>
  void expect_even(Start&& start) {
    const int mean = kFibers / static_cast<int>(GetParam());
    const int share = mean * 5 / 4 + 16;
    const bool has_cpus = std::thread::hardware_concurrency() >= GetParam();
    std::vector<int> largest;
    std::vector<double> imbalance;
    const auto give_up = std::chrono::steady_clock::now() + kPatience;
    for (int round = 0; largest.size() < kRounds; ++round) {
      if (round >= kRounds && std::chrono::steady_clock::now() > give_up) break;
      wake_all(scheduler_);
      const CpuWaits before;
      const std::uint64_t offers_before = scheduler_.stats().fiber_offers;
      Waiting waiting(scheduler_);
      jobs::Counter done;
      start(waiting, done);
      waiting.await(kFibers);
      wake_all(scheduler_);  // The kernel counts a wait for a CPU when it ends.
      const bool counts = !has_cpus || CpuWaits().are_short_since(before);
      const jobs::Stats stats = waiting.stats();
      EXPECT_GE(stats.fiber_imbalance(), 1.0);
      EXPECT_LE(waiting.largest(),
                share + kLookEvery + jobs_alone(stats.fiber_offers - offers_before));
      if (counts) {
        largest.push_back(waiting.largest());
        imbalance.push_back(stats.fiber_imbalance());
      }
      waiting.end(done);
    }
    if (largest.size() < kRounds / 2) return;  // Too few rounds had all CPUs.
    std::sort(largest.begin(), largest.end());
    std::sort(imbalance.begin(), imbalance.end());
    // With room for a slow machine.
    const int limit = mean * 3 / 2 + 150;
    EXPECT_LE(largest[largest.size() / 2], limit);
    EXPECT_LE(imbalance[imbalance.size() / 2] * kFibers,
              (limit + 2.0) * static_cast<double>(GetParam()));
  }

  jobs::Scheduler scheduler_{{.worker_count = GetParam()}};
};

TEST_P(FiberShare, OfJobsFromInsideIsEven) {
  expect_even([&](Waiting& waiting, jobs::Counter& done) {
    scheduler_.run([&] {
      for (int i = 0; i < kFibers; ++i) jobs::spawn(done, std::ref(waiting));
    });
  });
}

TEST_P(FiberShare, OfJobsFromOutsideIsEven) {
  expect_even([&](Waiting& waiting, jobs::Counter& done) {
    for (int i = 0; i < kFibers; ++i) scheduler_.spawn(done, std::ref(waiting));
  });
}

// Each job but the first ones finds all workers asleep.
TEST_P(FiberShare, OfJobsFromOutsideThatComeOneByOneIsEven) {
  expect_even([&](Waiting& waiting, jobs::Counter& done) {
    for (int i = 0; i < kFibers; ++i) {
      scheduler_.spawn(done, std::ref(waiting));
      waiting.await(i + 1);
    }
  });
  // Two workers with a free CPU take turns, and the shares are even without an offer.
  if (GetParam() > 2) {
    EXPECT_GT(scheduler_.stats().fiber_offers, 0u);
  }
}

TEST_P(FiberShare, OfFibersIsEven) {
  std::vector<jobs::Fiber<>> fibers;
  expect_even([&](Waiting& waiting, jobs::Counter& done) {
    done.add(kFibers);
    scheduler_.run([&] {
      fibers.clear();
      for (int i = 0; i < kFibers; ++i) {
        fibers.emplace_back([&waiting, &done] {
          waiting();
          done.done();
        });
      }
    });
  });
  scheduler_.run([&] { fibers.clear(); });
}

INSTANTIATE_TEST_SUITE_P(Workers, FiberShare, testing::Values(2, 4, 16),
                         testing::PrintToStringParamName());

// The worker with all fibers is the only one that is not busy: it takes the jobs itself.
TEST(FiberShareOf, AWorkerBesideBusyOnesMayExceed) {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<bool> is_busy{false};
  std::atomic<bool> may_end{false};
  jobs::Counter busy;
  scheduler.spawn(busy,
                  [&] {
                    is_busy = true;
                    while (!may_end) std::this_thread::yield();
                  },
                  {.on = jobs::worker(1)});
  while (!is_busy) std::this_thread::yield();
  Waiting waiting(scheduler);
  jobs::Counter done;
  scheduler.run([&] {
    for (int i = 0; i < kFibers; ++i) jobs::spawn(done, std::ref(waiting));
  });
  waiting.await(kFibers);
  EXPECT_EQ(waiting.largest(), kFibers);
  EXPECT_GT(waiting.stats().fiber_offers, 0u);
  EXPECT_LT(waiting.stats().fiber_offers, 100u);
  EXPECT_GT(waiting.stats().fiber_imbalance(), 1.9);
  may_end = true;
  busy.wait();
  waiting.end(done);
}

TEST(FiberShareOf, TheOnlyWorkerIsEverything) {
  jobs::Scheduler scheduler({.worker_count = 1});
  Waiting waiting(scheduler);
  jobs::Counter done;
  scheduler.run([&] {
    for (int i = 0; i < kFibers; ++i) jobs::spawn(done, std::ref(waiting));
  });
  waiting.await(kFibers);
  EXPECT_EQ(waiting.stats().fiber_offers, 0u);
  EXPECT_EQ(waiting.stats().fiber_imbalance(), 1.0);
  waiting.end(done);
}

// Jobs that do not wait are no reason to leave work to others.
TEST(FiberShareOf, JobsThatDoNotWaitIsNotChecked) {
  jobs::Scheduler scheduler({.worker_count = 4});
  jobs::Counter done;
  std::atomic<int> ran{0};
  scheduler.run([&] {
    for (int i = 0; i < kFibers; ++i) jobs::spawn(done, [&] { ++ran; });
    done.wait();
  });
  EXPECT_EQ(ran, kFibers);
  EXPECT_EQ(scheduler.stats().fiber_offers, 0u);
}

}  // namespace
