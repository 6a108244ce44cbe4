// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// External threads inside structured algorithms: they help with their own call, run no job of
// another caller, return their seat while they park, and keep the scheduler alive.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <latch>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/pipeline.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/this_fiber.hpp"

namespace {

// The calling thread of each test is external; its calls go to a scheduler of that many workers.
class ExternalParticipant : public testing::TestWithParam<unsigned> {
 protected:
  jobs::Scheduler scheduler_{{.worker_count = GetParam()}};
  jobs::SchedulerScope scope_{scheduler_};
};
INSTANTIATE_TEST_SUITE_P(Workers, ExternalParticipant, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

constexpr const char* kAlone = "a participant computes in place of the only worker";

void until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

bool is_caller(std::thread::id caller) { return std::this_thread::get_id() == caller; }

// The worker runs a stolen function, which forks a function that another thread must run at the
// same time. With two workers, this is the waiting caller, because its seat leaves the second
// worker asleep.
TEST_P(ExternalParticipant, HelpsWithTheForksOfAStolenFunction) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  const auto caller = std::this_thread::get_id();
  int by_caller = 0;
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> was_stolen{false};
    std::atomic<bool> has_begun{false};
    jobs::fork_join([&] { until(was_stolen); },
                    [&] {
                      jobs::fork_join(
                          [&] {
                            was_stolen = true;
                            until(has_begun);
                          },
                          [&] {
                            by_caller += is_caller(caller) ? 1 : 0;
                            has_begun = true;
                          });
                    });
    ASSERT_TRUE(has_begun);
  }
  if (GetParam() == 2) {
    EXPECT_GT(by_caller, 0);
  }
}

TEST_P(ExternalParticipant, HelpsWithTheLoopOfAStolenFunction) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> was_stolen{false};
    std::atomic<int> begun{0};
    jobs::fork_join([&] { until(was_stolen); },
                    [&] {
                      // The first index waits until another thread runs the second one.
                      jobs::parallel_for(
                          0, 2,
                          [&](int i) {
                            was_stolen = true;
                            ++begun;
                            while (i == 0 && begun < 2) std::this_thread::yield();
                          },
                          jobs::Grain{1});
                    });
    ASSERT_EQ(begun, 2);
  }
}

// Lets each worker of a scheduler run a job that computes as long as this object exists.
class BusyWorkers {
 public:
  BusyWorkers(jobs::Scheduler& scheduler, unsigned workers) {
    for (unsigned i = 0; i < workers; ++i) {
      scheduler.spawn(done_,
                      [&] {
                        ++busy_;
                        until(over_);
                      },
                      {.on = jobs::worker(i)});
    }
    while (busy_ < workers) std::this_thread::yield();
  }
  ~BusyWorkers() {
    over_ = true;
    done_.wait();
  }
  BusyWorkers(const BusyWorkers&) = delete;
  BusyWorkers& operator=(const BusyWorkers&) = delete;

 private:
  std::atomic<unsigned> busy_{0};
  std::atomic<bool> over_{false};
  jobs::Counter done_;
};

TEST_P(ExternalParticipant, RunsItsPipelineBesideBusyWorkers) {
  const BusyWorkers busy(scheduler_, GetParam());
  std::vector<int> order;
  int sum = 0;
  jobs::pipeline(
      4, [i = 0]() mutable { return i < 1000 ? std::optional(i++) : std::nullopt; },
      jobs::parallel([](int i) { return 2 * i; }), jobs::out_of_order([&](int i) {
        sum += i;
        return i / 2;
      }),
      jobs::in_order([&](int i) { order.push_back(i); }));
  std::vector<int> expected(1000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
  EXPECT_EQ(sum, 999'000);
}

// Sums the numbers below 100 by a pipeline.
int sum_by_pipeline() {
  int sum = 0;
  jobs::pipeline(
      4, [i = 0]() mutable { return i < 100 ? std::optional(i++) : std::nullopt; },
      jobs::parallel([](int i) { return i; }), jobs::in_order([&](int i) { sum += i; }));
  return sum;
}

// Sums the numbers below 100 by the nodes of a graph, in two runs: the second one has a layout.
int sum_by_graph() {
  std::atomic<int> sum{0};
  jobs::TaskGraph graph;
  auto last = graph.node([] {});
  for (int i = 0; i < 100; ++i) graph.node([&sum, i] { sum += i; }).precede(last);
  graph.run();
  graph.run();
  return sum / 2;
}

TEST_P(ExternalParticipant, RunsACallInsideOfItsCallBesideBusyWorkers) {
  const BusyWorkers busy(scheduler_, GetParam());
  for (int (*const call)() : {&sum_by_pipeline, &sum_by_graph}) {
    std::atomic<int> sum{0};
    jobs::parallel_for(0, 4, [&](int) { sum += call(); }, jobs::Grain{1});
    EXPECT_EQ(sum, 4 * 4950) << "in a loop";
    sum = 0;
    jobs::fork_join([&] { sum += call(); }, [&] { sum += call(); });
    EXPECT_EQ(sum, 2 * 4950) << "in a function of fork_join()";
    sum = 0;
    jobs::TaskGraph graph;
    auto first = graph.node([&] { sum += call(); });
    first.precede(graph.node([&] { sum += call(); }));
    graph.run();
    EXPECT_EQ(sum, 2 * 4950) << "in a node";
    sum = 0;
    jobs::pipeline(
        4, [i = 0]() mutable { return i < 10 ? std::optional(i++) : std::nullopt; },
        jobs::in_order([&](int) { sum += call(); }));
    EXPECT_EQ(sum, 10 * 4950) << "in a stage";
  }
}

// Workers take parts of the outer and of the inner call.
TEST_P(ExternalParticipant, RunsACallInsideOfItsCallWithItsWorkers) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> sum{0};
    jobs::parallel_for(
        0, 8, [&](int i) { sum += i % 2 == 0 ? sum_by_pipeline() : sum_by_graph(); },
        jobs::Grain{1});
    ASSERT_EQ(sum, 8 * 4950);
  }
}

TEST_P(ExternalParticipant, HelpsWithTheTokensOfItsPipeline) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  const auto caller = std::this_thread::get_id();
  std::atomic<int> by_caller{0};
  for (int round = 0; round < 20; ++round) {
    jobs::pipeline(
        8, [i = 0]() mutable { return i < 100 ? std::optional(i++) : std::nullopt; },
        jobs::parallel([&](int i) {
          if (is_caller(caller)) ++by_caller;
          return i;
        }),
        jobs::in_order([](int) {}));
  }
  EXPECT_GT(by_caller, 0);
}

// The call waits in a stage. A worker advances the other tokens.
TEST_P(ExternalParticipant, WaitsInAStageForALaterToken) {
  jobs::Event last;
  std::atomic<int> ended{0};
  jobs::pipeline(
      8, [i = 0]() mutable { return i < 8 ? std::optional(i++) : std::nullopt; },
      jobs::parallel([&](int i) {
        if (i == 7) last.signal();
        if (i < 7) last.wait();
        ++ended;
      }));
  EXPECT_EQ(ended, 8);
}

TEST_P(ExternalParticipant, FailsWithTheExceptionOfAStage) {
  EXPECT_THROW(jobs::pipeline(
                   4, [i = 0]() mutable { return std::optional(i++); }, jobs::parallel([](int i) {
                     if (i == 100) throw std::runtime_error("stage");
                   })),
               std::runtime_error);
  int tokens = 0;
  jobs::pipeline(
      4, [i = 0]() mutable { return i < 10 ? std::optional(i++) : std::nullopt; },
      jobs::in_order([&](int) { ++tokens; }));
  EXPECT_EQ(tokens, 10);
}

TEST_P(ExternalParticipant, HelpsWithTheNodesOfItsGraph) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  std::atomic<int> begun{0};
  jobs::TaskGraph graph;
  const auto meet = [&] {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  };
  // With two workers, the caller runs one of the two nodes.
  auto first = graph.node(meet);
  auto second = graph.node(meet);
  std::atomic<bool> has_ended{false};
  auto last = graph.node([&] { has_ended = true; });
  first.precede(last);
  second.precede(last);
  for (int round = 0; round < 50; ++round) {
    begun = 0;
    has_ended = false;
    graph.run();
    ASSERT_TRUE(has_ended);
  }
}

// Until it waits for the counter of the jobs (counter_help_test.cpp).
TEST_P(ExternalParticipant, RunsNoJobThatWasSpawned) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> astray{0};
  bool is_waiting = false;  // Only the caller accesses it.
  const auto check = [&] { astray += is_caller(caller) && !is_waiting; };
  jobs::Counter done;
  for (int round = 0; round < 100; ++round) {
    jobs::parallel_for(0, 64, [&](int i) {
      if (i % 8 == 0) jobs::spawn(done, check);
    });
    jobs::fork_join([] {},
                    [&] {
                      for (int i = 0; i < 8; ++i) jobs::spawn(done, check);
                    });
  }
  is_waiting = true;
  done.wait();
  EXPECT_EQ(astray, 0);
}

// A sleep has no object on which a job could depend. The part that a worker has stolen spawns jobs
// and Fibers: its worker does not serve a wait from then on.
TEST_P(ExternalParticipant, RunsNoJobWhileItSleeps) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> astray{0};
  bool is_waiting = false;  // Only the caller accesses it.
  const auto check = [&] { astray += is_caller(caller) && !is_waiting; };
  jobs::Counter done;
  for (int round = 0; round < 20; ++round) {
    jobs::parallel_for(
        0, 16,
        [&](int) {
          if (is_caller(caller)) return jobs::this_fiber::sleep_for(std::chrono::microseconds(500));
          for (int i = 0; i < 8; ++i) jobs::spawn(done, check);
          jobs::Fiber<>([&] { astray += is_caller(caller); }).detach();
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        },
        jobs::Grain{1});
  }
  is_waiting = true;
  done.wait();
  scheduler_.shutdown();
  EXPECT_EQ(astray, 0);
}

TEST_P(ExternalParticipant, RunsNoPartOfAnotherThreadsCall) {
  std::atomic<int> astray{0};
  const auto call = [&](std::thread::id other, int rounds) {
    const jobs::SchedulerScope scope(scheduler_);
    for (int round = 0; round < rounds; ++round) {
      jobs::fork_join([&] { astray += is_caller(other); },
                      [&] { jobs::parallel_for(0, 100, [&](int) { astray += is_caller(other); }); },
                      [&] {
                        jobs::fork_join([&] { astray += is_caller(other); },
                                        [&] { astray += is_caller(other); });
                      });
    }
  };
  const std::thread::id here = std::this_thread::get_id();
  std::thread second([&] { call(here, 500); });
  call(second.get_id(), 500);
  second.join();
  EXPECT_EQ(astray, 0);
}

// The stolen function waits for a job that only another worker can run. While the caller holds its
// seat, a scheduler of two workers leaves that worker asleep.
TEST_P(ExternalParticipant, ReturnsItsSeatWhenItParks) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  for (int round = 0; round < 20; ++round) {
    std::atomic<bool> was_stolen{false};
    std::atomic<bool> ran{false};
    jobs::Counter done;
    jobs::fork_join([&] { until(was_stolen); },
                    [&] {
                      was_stolen = true;
                      jobs::spawn(done, [&] { ran = true; });
                      until(ran);
                    });
    done.wait();
  }
}

// Jobs that a worker has pushed while the caller held its seat, and that outlive its call.
TEST_P(ExternalParticipant, ReturnsItsSeatWhenItLeaves) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  for (int round = 0; round < 200; ++round) {
    std::atomic<bool> ran{false};
    jobs::Counter done;
    jobs::Event has_pushed;
    jobs::spawn(done, [&] {
      jobs::spawn(done, [&] { ran = true; });
      has_pushed.signal();
      until(ran);
    });
    jobs::parallel_for(0, 8, [](int) {});
    has_pushed.wait();
    jobs::parallel_for(0, 8, [](int) {});
    done.wait();
  }
}

// The caller parks with the second part of its loop in its own deque, while all workers sleep.
TEST_P(ExternalParticipant, ReturnsItsSeatWithAJobInItsDeque) {
  for (int round = 0; round < 50; ++round) {
    jobs::Event ran;
    jobs::parallel_for(0, 2, [&](int i) { i == 0 ? ran.wait() : ran.signal(); }, jobs::Grain{1});
  }
}

// Another thread pushes the second part of its loop while this thread waits outside of a call. If
// that wait kept a worker asleep, the other thread would wait for ever.
TEST_P(ExternalParticipant, AWaitOutsideOfACallKeepsNoWorkerAsleep) {
  if (GetParam() == 1) GTEST_SKIP() << kAlone;
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    const jobs::SchedulerScope scope(scheduler_);
    for (int round = 0; round < 200; ++round) {
      std::atomic<bool> ran{false};
      jobs::parallel_for(
          0, 2,
          [&](int i) {
            if (i == 0) return until(ran);
            ran = true;
          },
          jobs::Grain{1});
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    is_over = true;
  });
  jobs::Event never;
  while (!is_over) EXPECT_FALSE(never.wait_for(std::chrono::microseconds(100)));
  other.join();
}

TEST_P(ExternalParticipant, ManyThreadsAtOnce) {
  constexpr int kThreads = 8;
  std::array<long, kThreads> sums{};
  std::vector<std::thread> threads;
  for (long& sum : sums) {
    threads.emplace_back([&] {
      const jobs::SchedulerScope scope(scheduler_);
      for (int round = 0; round < 100; ++round) {
        sum += jobs::parallel_reduce(0, 1000, 0L, std::plus<>(), [](int i) -> long {
          const auto [a, b] = jobs::fork_join([i] { return i; }, [] { return 1; });
          return a + b;
        });
        jobs::TaskGraph graph;
        for (int i = 0; i < 20; ++i) graph.node([] {});
        graph.run();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const long sum : sums) EXPECT_EQ(sum, 100 * (999 * 500 + 1000));
}

// There are 64 slots. A worker runs the call of a thread that finds none.
TEST_P(ExternalParticipant, AWorkerRunsTheCallOfAThreadWithoutASlot) {
  constexpr int kSlots = 64;
  std::latch all_inside(kSlots), go(1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kSlots; ++i) {
    threads.emplace_back([&] {
      const jobs::SchedulerScope scope(scheduler_);
      const auto caller = std::this_thread::get_id();
      bool has_waited = false;
      const auto wait = [&] {
        if (!is_caller(caller) || std::exchange(has_waited, true)) return;
        all_inside.count_down();
        go.wait();
      };
      jobs::fork_join(wait, wait);
    });
  }
  all_inside.wait();
  const auto caller = std::this_thread::get_id();
  std::atomic<int> by_caller{0};
  for (int round = 0; round < 20; ++round) {
    const long sum = jobs::parallel_reduce(0, 1000, 0L, std::plus<>(), [&](int i) -> long {
      if (is_caller(caller)) ++by_caller;
      return i;
    });
    EXPECT_EQ(sum, 999 * 500);
    jobs::TaskGraph graph;
    graph.node([&] { by_caller += is_caller(caller) ? 1 : 0; });
    graph.run();
  }
  EXPECT_EQ(by_caller, 0);
  go.count_down();
  for (std::thread& thread : threads) thread.join();
  // The calls without a slot have kept no seat: a worker still wakes each of the others.
  std::latch all_run(GetParam());
  jobs::Counter done;
  scheduler_.run([&] {
    for (unsigned i = 0; i < GetParam(); ++i) jobs::spawn(done, [&] { all_run.arrive_and_wait(); });
  });
  done.wait();
}

TEST_P(ExternalParticipant, ShutdownWaitsForTheLoopOfAnotherThread) {
  auto scheduler =
      std::make_unique<jobs::Scheduler>(jobs::SchedulerOptions{.worker_count = GetParam()});
  std::atomic<bool> is_inside{false};
  std::atomic<int> runs{0};
  std::thread thread([&] {
    const jobs::SchedulerScope scope(*scheduler);
    jobs::parallel_for(
        0, 64,
        [&](int) {
          is_inside = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++runs;
        },
        jobs::Grain{1});
  });
  until(is_inside);
  scheduler->shutdown();
  EXPECT_EQ(runs, 64);
  thread.join();
}

TEST_P(ExternalParticipant, ACallAfterTheShutdownIsRefused) {
  scheduler_.shutdown();
  for (int i = 0; i < 3; ++i) {
    try {
      jobs::parallel_for(0, 10, [](int) {});
      FAIL() << "the loop ran";
    } catch (const jobs::Error& error) {
      EXPECT_EQ(error.code(), jobs::ErrorCode::kStopped);
    }
  }
}

// The calling thread computes beside all workers.
class ExtraCaller : public testing::TestWithParam<unsigned> {
 protected:
  jobs::Scheduler scheduler_{{.worker_count = GetParam(), .extra_callers = true}};
  jobs::SchedulerScope scope_{scheduler_};
};
INSTANTIATE_TEST_SUITE_P(Workers, ExtraCaller, testing::Values(1u, 2u, 4u, 16u),
                         testing::PrintToStringParamName());

// Calls `threads` functions at a time, each of which waits for the others.
template <std::size_t... kIndices>
void meet(std::index_sequence<kIndices...>) {
  std::atomic<std::size_t> arrived{0};
  const auto wait_for_all = [&arrived](std::size_t) {
    ++arrived;
    while (arrived < sizeof...(kIndices)) std::this_thread::yield();
  };
  jobs::fork_join([&] { wait_for_all(kIndices); }...);
}

TEST_P(ExtraCaller, ComputesBesideAllWorkers) {
  for (int round = 0; round < 10; ++round) {
    if (GetParam() == 1) meet(std::make_index_sequence<2>());
    if (GetParam() == 2) meet(std::make_index_sequence<3>());
    if (GetParam() == 4) meet(std::make_index_sequence<5>());
    if (GetParam() == 16) meet(std::make_index_sequence<17>());
  }
}

// Each call begins while the workers are about to sleep, or asleep.
TEST_P(ExtraCaller, MeetsWorkersThatFallAsleep) {
  for (int round = 0; round < 200; ++round) {
    std::this_thread::sleep_for(std::chrono::microseconds(round % 100));
    std::atomic<bool> is_here{false};
    std::atomic<bool> is_there{false};
    jobs::fork_join(
        [&] {
          is_here = true;
          until(is_there);
        },
        [&] {
          is_there = true;
          until(is_here);
        });
  }
}

TEST_P(ExtraCaller, WaitsForJobsOfTheWorkers) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<int> ended{0};
    jobs::Counter counter;
    for (int i = 0; i < 20; ++i) jobs::spawn(counter, [&ended] { ++ended; });
    jobs::parallel_for(0, 20, [&ended](int) { ++ended; });
    counter.wait();
    EXPECT_EQ(ended, 40);
  }
}

TEST(ExternalParticipantDeathTest, ShutdownFromInsideOfALoopAborts) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        const jobs::SchedulerScope scope(scheduler);
        const std::thread::id caller = std::this_thread::get_id();
        for (;;) {
          jobs::parallel_for(0, 2, [&](int) {
            if (is_caller(caller)) scheduler.shutdown();
          });
        }
      },
      "shut down from inside of a loop");
}

}  // namespace
