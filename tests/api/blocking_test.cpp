// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/blocking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <latch>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/pipeline.hpp"
#include "jobs/runtime/scheduler/blocking_pool.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;

class Blocking : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Blocking);

TEST_P(Blocking, ReturnsTheResult) {
  run([] {
    EXPECT_EQ(jobs::blocking([] { return 42; }), 42);
    EXPECT_EQ(*jobs::blocking([] { return std::make_unique<int>(7); }), 7);
    int value = 0;
    int& same = jobs::blocking([&value]() -> int& { return value; });
    EXPECT_EQ(&same, &value);
    jobs::blocking([&value] { value = 3; });
    EXPECT_EQ(value, 3);
  });
}

TEST_P(Blocking, ThrowsWhatTheFunctionThrew) {
  run([] {
    EXPECT_THROW(jobs::blocking([]() -> int { throw std::out_of_range("too far"); }),
                 std::out_of_range);
    EXPECT_EQ(jobs::blocking([] { return 1; }), 1);
  });
}

TEST_P(Blocking, HoldsAThreadOfItsOwn) {
  run([&] {
    const auto here = std::this_thread::get_id();
    const auto there = jobs::blocking([] { return std::this_thread::get_id(); });
    EXPECT_EQ(here == there, is_external()) << "in place only where there is no worker to hold up";
    EXPECT_EQ(std::this_thread::get_id(), here) << "the fiber has come home";
  });
}

TEST_P(Blocking, TheWorkersGoOnMeanwhile) {
  if (is_external()) GTEST_SKIP() << "runs in place";
  run([] {
    // The call waits for a job that only the same worker can take, and only during the call.
    std::latch met(1);
    jobs::Counter done;
    for (int i = 0; i < 16; ++i) {
      jobs::spawn(done, [&] { jobs::blocking([&] { met.wait(); }); });
    }
    jobs::spawn(done, [&] { met.count_down(); });
    done.wait();
  });
  EXPECT_EQ(scheduler().stats().blocking_calls, 16u);
}

TEST_P(Blocking, RunsHundredsAtOnce) {
  if (is_external()) GTEST_SKIP() << "runs in place";
  constexpr int kCalls = 200;
  run([] {
    std::barrier<> all(kCalls);  // passes only if all calls run at the same time
    jobs::Counter done;
    for (int i = 0; i < kCalls; ++i) {
      jobs::spawn(done, [&] { jobs::blocking([&] { all.arrive_and_wait(); }); });
    }
    done.wait();
  });
  EXPECT_EQ(scheduler().stats().blocking_threads, static_cast<unsigned>(kCalls));
}

TEST_P(Blocking, ManyShortCallsShareFewThreads) {
  std::atomic<int> calls{0};
  run([&] {
    jobs::Counter done;
    for (int i = 0; i < 8; ++i) {
      jobs::spawn(done, [&] {
        for (int k = 0; k < 200; ++k) jobs::blocking([&] { ++calls; });
      });
    }
    done.wait();
  });
  EXPECT_EQ(calls, 1'600);
  if (!is_external()) {
    // More than eight: a blocking thread may not be idle yet when its caller has returned.
    EXPECT_LE(scheduler().stats().blocking_threads, 100u);
  }
}

TEST_P(Blocking, NestsInPlace) {
  run([] {
    const bool same = jobs::blocking([] {
      const auto here = std::this_thread::get_id();
      return jobs::blocking([here] { return std::this_thread::get_id() == here; });
    });
    EXPECT_TRUE(same);
  });
}

TEST_P(Blocking, MayUseEveryWaitOfTheLibrary) {
  run([] {
    jobs::Event asked, answered;
    jobs::Fiber<> fiber([&] {
      asked.wait();
      answered.signal();
    });
    jobs::blocking([&] {
      asked.signal();
      answered.wait();
    });
    fiber.join();
  });
}

TEST_P(Blocking, SeesTheStopOfItsFiber) {
  run([] {
    jobs::Event started;
    jobs::Fiber<bool> fiber([&] {
      return jobs::blocking([&](std::stop_token stop) {
        started.signal();
        while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
        return true;
      });
    });
    started.wait();
    fiber.request_stop();
    EXPECT_TRUE(fiber.join());
  });
}

TEST_P(Blocking, AShutdownWaitsForIt) {
  if (is_external()) GTEST_SKIP() << "the default scheduler goes on";
  std::atomic<bool> ended{false};
  run([&] {
    jobs::spawn([&] {
      jobs::blocking([] { std::this_thread::sleep_for(20ms); });
      ended = true;
    });
  });
  scheduler().shutdown();
  EXPECT_TRUE(ended);
  EXPECT_EQ(scheduler().stats().blocking_threads, 0u);
}

// --- the scheduler inside of a blocking call
// ------------------------------------------------------

TEST_P(Blocking, KeepsItsScheduler) {
  run([] {
    jobs::Scheduler& here = jobs::Scheduler::current();
    jobs::blocking([&] {
      EXPECT_EQ(&jobs::Scheduler::current(), &here);
      EXPECT_EQ(jobs::worker_count(), here.worker_count());
      const auto is_here = [&] { return &jobs::Scheduler::current() == &here; };
      std::atomic<int> ran{0};
      jobs::Counter done;
      jobs::spawn(done, [&] { ran += is_here() ? 1 : 0; });
      done.wait();
      jobs::parallel_for(0, 100, [&](int) { ran += is_here() ? 1 : 0; });
      jobs::fork_join([&] { ran += is_here() ? 1 : 0; }, [&] { ran += is_here() ? 1 : 0; });
      EXPECT_TRUE(jobs::Fiber<bool>(is_here).join());
      jobs::TaskGraph graph;
      graph.node([&] { ran += is_here() ? 1 : 0; });
      graph.run();
      EXPECT_EQ(ran, 104);
    });
  });
}

TEST_P(Blocking, MayNameAnotherScheduler) {
  run([] {
    jobs::Scheduler& here = jobs::Scheduler::current();
    jobs::blocking([&] {
      jobs::Scheduler other({.worker_count = 1});
      {
        const jobs::SchedulerScope scope(other);
        EXPECT_EQ(&jobs::Scheduler::current(), &other);
        EXPECT_EQ(jobs::Fiber<bool>([&] { return &jobs::Scheduler::current() == &other; }).join(),
                  true);
      }
      EXPECT_EQ(&jobs::Scheduler::current(), &here);
      other.shutdown();
      EXPECT_THROW(other.spawn([] {}), jobs::Error) << "it is another one that is not drained";
    });
  });
}

// Waits until the scheduler has begun to shut down.
void await_drain(jobs::Scheduler& scheduler) {
  for (bool is_open = true; is_open; std::this_thread::sleep_for(1ms)) {
    std::thread([&] {
      try {
        scheduler.spawn([] {});
      } catch (const jobs::Error& error) {
        EXPECT_EQ(error.code(), jobs::ErrorCode::kStopped);
        is_open = false;
      }
    }).join();
  }
}

TEST_P(Blocking, MaySubmitWorkDuringAShutdown) {
  if (is_external()) GTEST_SKIP() << "the default scheduler goes on";
  std::atomic<int> ran{0};
  run([&] {
    jobs::spawn([&] {
      jobs::blocking([&] {
        await_drain(scheduler());
        jobs::Counter done;
        for (int i = 0; i < 10; ++i) jobs::spawn(done, [&] { ++ran; });
        done.wait();
        jobs::parallel_for(0, 1000, [&](int) { ++ran; });
        jobs::Fiber<>([&] { ++ran; }).join();
        jobs::spawn([&] {
          jobs::blocking([&] {
            std::this_thread::sleep_for(5ms);
            jobs::spawn([&] { ++ran; });
          });
        });
      });
    });
  });
  scheduler().shutdown();
  EXPECT_EQ(ran, 1012) << "the shutdown has waited for all of it";
}

// A daemon does not keep the scheduler from its end, but it may work until it is stopped.
TEST_P(Blocking, OfADaemonMaySubmitWorkDuringAShutdown) {
  if (is_external()) GTEST_SKIP() << "the default scheduler goes on";
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ended{0};
    jobs::Scheduler own({.worker_count = GetParam().workers});
    jobs::Event started;
    const auto work_until_stopped = [&](std::stop_token stop) {
      started.signal();
      int jobs_run = 0;
      do {
        jobs::Counter done;
        jobs::spawn(done, [&] { ++jobs_run; });
        done.wait();
      } while (!stop.stop_requested());
      EXPECT_GT(jobs_run, 0);
      // One more daemon, which nothing waits for but the shutdown.
      jobs::Fiber<>([&] { ++ended; }, {.daemon = true}).detach();
    };
    own.run([&] {
      jobs::Fiber<>(
          [&](std::stop_token) {
            jobs::blocking(work_until_stopped);
            ++ended;
          },
          {.daemon = true})
          .detach();
    });
    started.wait();
    own.shutdown();
    EXPECT_EQ(ended, 2);
  }
}

// The last work of a drain may end on the thread of the call.
TEST_P(Blocking, OfADaemonMayRunPipelinesAndGraphsDuringAShutdown) {
  if (is_external()) GTEST_SKIP() << "the default scheduler goes on";
  for (int round = 0; round < 100; ++round) {
    jobs::Scheduler own({.worker_count = GetParam().workers});
    jobs::Event started;
    const auto work_until_stopped = [&](std::stop_token stop) {
      jobs::TaskGraph graph;
      graph.node([] {});
      started.signal();
      do {
        bool is_read = false;
        jobs::pipeline(
            1, [&] { return std::exchange(is_read, true) ? std::nullopt : std::optional(0); },
            jobs::in_order([](int) {}));
        graph.run();
      } while (!stop.stop_requested());
    };
    own.run([&] {
      jobs::Fiber<>([&](std::stop_token) { jobs::blocking(work_until_stopped); }, {.daemon = true})
          .detach();
    });
    started.wait();
    ASSERT_TRUE(own.shutdown_for(10s)) << round;
  }
}

TEST(BlockingLimit, QueuesWhatIsTooMuchInTheOrderOfTheCalls) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_blocking_threads = 1});
  std::vector<int> order;
  scheduler.run([&] {
    jobs::Counter done;
    std::latch go(1);
    jobs::Event first_runs;
    jobs::spawn(done, [&] {
      jobs::blocking([&] {
        first_runs.signal();
        go.wait();
      });
    });
    first_runs.wait();
    for (int i = 0; i < 10; ++i) {
      jobs::spawn(done, [&order, i] { jobs::blocking([&order, i] { order.push_back(i); }); });
      while (scheduler.stats().blocking_calls < static_cast<unsigned>(i) + 2) jobs::yield();
    }
    EXPECT_TRUE(order.empty());
    go.count_down();
    done.wait();
    EXPECT_EQ(order.size(), 10u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(scheduler.stats().blocking_threads, 1u);
  });
}

TEST(BlockingLimit, OfNoneIsAnError) {
  EXPECT_THROW(jobs::Scheduler({.worker_count = 1, .max_blocking_threads = 0}), jobs::Error);
}

TEST(BlockingPool, EndsThreadsThatHaveBeenIdleForAWhile) {
  // Reads the number of threads during the call: afterwards all of them may have ended.
  struct Reading : jobs::detail::Job {
    explicit Reading(jobs::detail::BlockingPool& from)
        : Job([](Job& job) {
            auto& self = static_cast<Reading&>(job);
            self.threads = self.pool.threads.read();
          }),
          pool(from) {}
    jobs::detail::BlockingPool& pool;
    std::uint64_t threads = 0;
  };
  jobs::detail::BlockingPool pool(jobs::detail::default_shared(), 4, 20ms);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<Reading>> calls;
    for (int i = 0; i < 8; ++i) pool.submit(*calls.emplace_back(std::make_unique<Reading>(pool)));
    for (auto& call : calls) {
      call->join();
      EXPECT_GE(call->threads, 1u);
      EXPECT_LE(call->threads, 4u);
    }
    while (pool.threads.read() > 0) std::this_thread::sleep_for(1ms);
  }
}

}  // namespace
