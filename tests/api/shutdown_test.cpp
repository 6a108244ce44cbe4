// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler::shutdown(): it drains jobs, fibers and external participants, and may be called
// concurrently. shutdown_for_test.cpp has the deadlines and the reports.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/parallel_reduce.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/scale.hpp"

namespace {

using jobs::test::code_of;
using namespace std::chrono_literals;

TEST(Shutdown, FinishesEverythingThatWasSpawned) {
  std::atomic<int> ran{0};
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([&] {
    for (int i = 0; i < 100; ++i) {
      jobs::spawn([&ran] {
        jobs::Counter done;
        jobs::spawn(done, [&ran] { ++ran; });
        done.wait();  // suspends during the drain
        jobs::spawn([&ran] { ++ran; });
      });
    }
  });
  scheduler.shutdown();
  EXPECT_EQ(ran, 200);
}

TEST(Shutdown, WaitsForFibersThatSleep) {
  std::atomic<bool> woke{false};
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([&] {
    jobs::spawn([&woke] {
      jobs::Event never;
      EXPECT_FALSE(never.wait_for(20ms));
      woke = true;
    });
  });
  scheduler.shutdown();
  EXPECT_TRUE(woke);
}

TEST(Shutdown, WaitsForRunsThatAreUnderWay) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event under_way;
  std::jthread caller([&] {
    EXPECT_EQ(scheduler.run([&] {
      under_way.signal();
      jobs::Event never;
      return never.wait_for(50ms) ? 1 : 2;  // its worker is idle meanwhile
    }),
              2);
  });
  under_way.wait();
  scheduler.shutdown();
}

TEST(Shutdown, IsIdempotent) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.shutdown();
  scheduler.shutdown();
  EXPECT_EQ(scheduler.worker_count(), 2u);
  EXPECT_FALSE(scheduler.describe().empty());
}

TEST(Shutdown, EndsAlthoughRefusedJobsComeAllTheTime) {
  jobs::Scheduler scheduler({.worker_count = 2});
  std::atomic<bool> stop{false};
  std::atomic<int> refused{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        try {
          scheduler.spawn([] {});
        } catch (const jobs::Error&) {
          ++refused;
        }
      }
    });
  }
  EXPECT_TRUE(scheduler.shutdown_for(20s));
  while (refused < 1000) std::this_thread::yield();
  stop = true;
}

TEST(Shutdown, IsFollowedByRefusals) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.shutdown();
  try {
    scheduler.run([] { ADD_FAILURE() << "ran on a stopped scheduler"; });
    FAIL() << "expected an Error";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kStopped);
  }
}

TEST(Shutdown, OnTheBoundThreadRunsItsJobsFirst) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
    std::atomic<int> ran{0};
    std::atomic<int> elsewhere{0};
    const auto here = std::this_thread::get_id();
    const auto job = [&] {
      jobs::yield();
      if (std::this_thread::get_id() != here) ++elsewhere;
      ++ran;
    };
    for (int i = 0; i < 100; ++i) jobs::spawn(job, {.on = jobs::main_thread});
    EXPECT_EQ(ran, 0) << "the thread has not waited";
    scheduler.shutdown();
    EXPECT_EQ(ran, 100);
    EXPECT_EQ(elsewhere, 0);
  }
}

TEST(Shutdown, ReleasesTheBoundThread) {
  jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
  scheduler.shutdown();
  jobs::Scheduler next({.worker_count = 2, .bind_caller = true});
  EXPECT_EQ(next.run([] { return 1; }), 1);
}

TEST(Shutdown, RunsOrRefusesWhatComesAtTheSameMoment) {
  for (int round = 0; round < 300; ++round) {
    auto scheduler = std::make_unique<jobs::Scheduler>(jobs::SchedulerOptions{.worker_count = 2});
    std::atomic<bool> started{false};
    std::atomic<int> ran{0}, accepted{0};
    std::jthread caller([&, target = scheduler.get()] {
      try {
        for (;;) {
          target->run([&ran] { ++ran; });
          ++accepted;
          started = true;
        }
      } catch (const jobs::Error& error) {
        EXPECT_EQ(error.code(), jobs::ErrorCode::kStopped);
      }
    });
    while (!started) std::this_thread::yield();
    scheduler->shutdown();
    caller.join();
    ASSERT_EQ(ran, accepted);
  }
}

// --- external threads that take part -------------------------------------------------------------

// A thread of the program that is inside of a call of the scheduler. The shutdown begins after the
// call of under_way().
class ShutdownWithParticipants : public testing::Test {
 protected:
  template <class Call>
  void shut_down_during(Call call) {
    std::thread caller([&] {
      const jobs::SchedulerScope scope(scheduler);
      EXPECT_EQ(code_of([&] { call(); }), std::nullopt);
    });
    begun.wait();
    scheduler.shutdown();
    caller.join();
  }
  void under_way() { begun.signal(); }
  // A leaf of the call: sleeps its thread or, for each other one, its fiber.
  void leaf() {
    under_way();
    if (++leaves % 2 == 0) {
      std::this_thread::sleep_for(1ms);
    } else {
      jobs::this_fiber::sleep_for(1ms);
    }
    ++ran;
  }
  void fork(int depth) {
    if (depth == 0) return leaf();
    jobs::fork_join([&] { fork(depth - 1); }, [&] { fork(depth - 1); });
  }

  jobs::Scheduler scheduler{{.worker_count = 2}};
  jobs::Event begun;
  std::atomic<int> leaves{0}, ran{0};
};

TEST_F(ShutdownWithParticipants, WaitsForALoop) {
  shut_down_during([&] { jobs::parallel_for(0, 64, [&](int) { leaf(); }, jobs::Grain{1}); });
  EXPECT_EQ(ran, 64);
}

TEST_F(ShutdownWithParticipants, WaitsForForks) {
  shut_down_during([&] { fork(6); });
  EXPECT_EQ(ran, 64);
}

TEST_F(ShutdownWithParticipants, WaitsForAReduction) {
  int sum = 0;
  shut_down_during([&] {
    sum = jobs::parallel_reduce(0, 64, 0, std::plus{}, [&](int) {
      leaf();
      return 1;
    });
  });
  EXPECT_EQ(sum, 64);
  EXPECT_EQ(ran, 64);
}

TEST_F(ShutdownWithParticipants, WaitsForAGraph) {
  jobs::TaskGraph graph;
  std::vector<jobs::TaskGraph::Node> nodes;
  for (std::size_t i = 0; i < 64; ++i) {
    nodes.push_back(graph.node([&] { leaf(); }));
    if (i >= 8) nodes[i - 8].precede(nodes[i]);
  }
  shut_down_during([&] { graph.run(); });
  EXPECT_EQ(ran, 64);
}

TEST_F(ShutdownWithParticipants, WaitsForAThreadThatHoldsTheLockOfAJob) {
  jobs::Mutex mutex;
  shut_down_during([&] {
    const std::scoped_lock lock(mutex);
    jobs::spawn([&] {
      const std::scoped_lock again(mutex);
      ++ran;
    });
    under_way();
    std::this_thread::sleep_for(20ms);
  });
  EXPECT_EQ(ran, 1);
}

// The call was accepted before the shutdown, so each part of it is.
TEST_F(ShutdownWithParticipants, AcceptsTheJobsOfALoop) {
  shut_down_during([&] {
    jobs::parallel_for(
        0, 16,
        [&](int) {
          leaf();
          jobs::Counter done;
          jobs::spawn(done, [&] { ++ran; });
          jobs::spawn([&] { ++ran; });
          jobs::Fiber<>([&] { ++ran; }).join();
          done.wait();
        },
        jobs::Grain{1});
  });
  EXPECT_EQ(ran, 4 * 16);
}

TEST_F(ShutdownWithParticipants, AcceptsTheGraphsOfALoop) {
  shut_down_during([&] {
    jobs::parallel_for(
        0, 8,
        [&](int) {
          leaf();
          jobs::TaskGraph graph;
          graph.node([&] { ++ran; }).precede(graph.node([&] { ++ran; }));
          graph.run();
        },
        jobs::Grain{1});
  });
  EXPECT_EQ(ran, 3 * 8);
}

TEST(Shutdown, ServesVacantWorkersForParticipants) {
  jobs::Scheduler scheduler({.worker_count = 2, .bound_threads = 1});
  jobs::Event begun;
  std::atomic<int> ran{0};
  std::jthread caller([&] {
    const jobs::SchedulerScope scope(scheduler);
    jobs::fork_join(
        [&] {
          jobs::Counter done;
          jobs::spawn(done, [&] { ++ran; }, {.on = jobs::worker(0)});
          begun.signal();
          done.wait();
        },
        [] {});
  });
  begun.wait();
  scheduler.shutdown();
  EXPECT_EQ(ran, 1);
}

// Calls of all kinds that come from a thread outside: each runs fully, or throws kStopped and runs
// nothing.
TEST(Shutdown, RunsOrRefusesEachCallOfAFreeFunction) {
  const int rounds = jobs::test::scaled(60);
  for (int round = 0; round < rounds; ++round) {
    jobs::Scheduler scheduler({.worker_count = 2});
    std::atomic<unsigned> begun{0};
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&, i] {
        std::atomic<int> ran{0};
        const auto count = [&ran] { ++ran; };
        const std::function<int()> calls[] = {
            [&] { return jobs::parallel_for(0, 40, [&](int) { ++ran; }), 40; },
            [&] { return jobs::fork_join(count, count, count), 3; },
            [&] {
              return jobs::parallel_reduce(0, 40, 0, std::plus{}, [&](int) { return ++ran, 1; });
            },
            [&] {
              jobs::TaskGraph graph;
              graph.node(count).precede(graph.node(count));
              return graph.run(), 2;
            },
            [&] {
              jobs::Counter done;
              jobs::spawn(done, count);
              return done.wait(), 1;
            },
            [&] { return jobs::Fiber<>(count).join(), 1; },
        };
        std::optional<jobs::SchedulerScope> scope;
        if (code_of([&] { scope.emplace(scheduler); })) return;
        for (std::size_t turn = static_cast<std::size_t>(i);; ++turn) {
          ran = 0;
          int expected = 0;
          const auto code = code_of([&] { expected = calls[turn % std::size(calls)](); });
          ++begun;
          EXPECT_EQ(ran, expected);
          if (!code) continue;
          EXPECT_EQ(code, jobs::ErrorCode::kStopped);
          break;
        }
      });
    }
    while (begun < 10) std::this_thread::yield();
    scheduler.shutdown();
    callers.clear();
  }
}

// --- concurrent calls ----------------------------------------------------------------------------

TEST(Shutdown, ReturnsToEachConcurrentCallerAfterTheEnd) {
  for (int round = 0; round < 50; ++round) {
    jobs::Scheduler scheduler({.worker_count = 2});
    std::atomic<int> ran{0};
    for (int i = 0; i < 8; ++i) {
      scheduler.spawn([&] {
        if (round % 2 == 0) jobs::this_fiber::sleep_for(100us);
        ++ran;
      });
    }
    std::vector<std::jthread> callers;
    for (int i = 0; i < 3; ++i) {
      callers.emplace_back([&, i] {
        if (i == 2) {
          while (!scheduler.shutdown_for(10us)) {
          }
        } else {
          scheduler.shutdown();
        }
        EXPECT_EQ(ran, 8);
      });
    }
    callers.clear();
    EXPECT_EQ(ran, 8);
  }
}

TEST(Shutdown, MayBeCalledByJobsOfAnotherSchedulerConcurrently) {
  jobs::Scheduler other({.worker_count = 1});
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Event go;
  scheduler.spawn([&] { go.wait(); });
  jobs::Counter done;
  for (int i = 0; i < 3; ++i) other.spawn(done, [&] { scheduler.shutdown(); });
  other.spawn(done, [&] { go.signal(); });  // The worker of `other` must be free to run it.
  done.wait();
  EXPECT_TRUE(scheduler.shutdown_for(0s));
}

}  // namespace
