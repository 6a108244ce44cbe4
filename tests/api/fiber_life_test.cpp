// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Fibers seen from outside: start, states, the list of fibers, several joining threads, daemons,
// large stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberRef;
using jobs::FiberStart;
using jobs::FiberState;

class FiberLife : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(FiberLife);

void await_state(const FiberRef& fiber, FiberState state) {
  while (fiber.state() != state) jobs::yield();
}

TEST_P(FiberLife, ShowsItsState) {
  run([&] {
    jobs::Event go;
    std::atomic<bool> spin{true};
    FiberState own{};
    jobs::Fiber<> fiber([&] {
      own = jobs::this_fiber::ref().state();
      go.wait();
      while (spin) jobs::yield();
    });
    await_state(fiber, FiberState::kWaiting);
    EXPECT_EQ(own, FiberState::kRunning);
    go.signal();
    for (FiberState state = FiberState::kWaiting; state == FiberState::kWaiting;
         state = fiber.state())
      jobs::yield();
    EXPECT_NE(fiber.state(), FiberState::kDead);
    const FiberRef ref = fiber;
    spin = false;
    fiber.join();
    EXPECT_EQ(ref.state(), FiberState::kDead);
    EXPECT_EQ(FiberRef().state(), FiberState::kDead);
  });
}

TEST_P(FiberLife, StartsAtOnceIfItIsToldTo) {
  run([&] {
    if (is_external()) return;  // on an external thread the fiber starts later
    std::vector<int> order;
    jobs::Event go;
    jobs::Fiber<> fiber(
        [&] {
          order.push_back(1);
          go.wait();
          order.push_back(3);
        },
        {.start = FiberStart::kNow});
    order.push_back(2);
    go.signal();
    fiber.join();
    EXPECT_EQ(order, (std::vector{1, 2, 3}));
  });
}

TEST_P(FiberLife, StartsLaterUnlessItIsToldOtherwise) {
  run([&] {
    if (!is_serial()) return;
    std::atomic<bool> started = false;
    jobs::Fiber<> fiber([&] { started = true; });
    EXPECT_FALSE(started);
    fiber.join();
    EXPECT_TRUE(started);
  });
}

TEST_P(FiberLife, UnwindsNestedStartsInReverse) {
  if (!is_serial()) GTEST_SKIP() << "on several workers there is no one order";
  run([&] {
    std::string trace;
    jobs::Event go;
    jobs::Fiber<> bystander([&] {  // always ready: it must not run in between
      while (!go.is_set()) {
        trace += '.';
        jobs::yield();
      }
    });
    for (int i = 0; i < 5; ++i) jobs::yield();
    jobs::Fiber<> b, c;
    jobs::Fiber<> a(
        [&] {
          trace += 'a';
          b = jobs::Fiber<>(
              [&] {
                trace += 'b';
                c = jobs::Fiber<>(
                    [&] {
                      trace += 'c';
                      go.wait();
                    },
                    {.start = FiberStart::kNow});
                trace += 'B';
                go.wait();
              },
              {.start = FiberStart::kNow});
          trace += 'A';
          go.wait();
        },
        {.start = FiberStart::kNow});
    trace += '0';
    if (is_serial()) {
      EXPECT_NE(trace.find("abcBA0"), std::string::npos) << trace;
    }
    go.signal();
    a.join();
    b.join();
    c.join();
    bystander.join();
  });
}

TEST_P(FiberLife, DoesNotRunBeforeItIsScheduledIfItWasCreatedSuspended) {
  run([&] {
    std::atomic<bool> ran{false};
    jobs::Fiber<> fiber([&] { ran = true; }, {.start = FiberStart::kSuspended});
    for (int i = 0; i < 10; ++i) jobs::yield();
    EXPECT_FALSE(ran);
    EXPECT_EQ(fiber.state(), FiberState::kWaiting);
    EXPECT_FALSE(fiber.join_for(1ms));
    EXPECT_TRUE(fiber.schedule());
    fiber.join();
    EXPECT_TRUE(ran);
  });
}

TEST_P(FiberLife, EndsWithoutRunningIfItIsStoppedBeforeItWasScheduled) {
  run([&] {
    bool ran = false;
    jobs::Fiber<> fiber([&] { ran = true; }, {.start = FiberStart::kSuspended});
    EXPECT_TRUE(fiber.request_stop());
    EXPECT_FALSE(fiber.schedule());
    EXPECT_THROW(fiber.join(), jobs::Cancelled);
    {
      const jobs::Fiber<> never([&] { ran = true; }, {.start = FiberStart::kSuspended});
    }
    EXPECT_FALSE(ran);
  });
}

TEST_P(FiberLife, IsFoundByItsIdUntilItEnds) {
  run([&] {
    jobs::Event go;
    std::vector<jobs::Fiber<>> fibers;
    for (int i = 0; i < 20; ++i)
      fibers.emplace_back([&] { go.wait(); }, jobs::FiberOptions{.name = std::to_string(i)});
    for (int i = 0; i < 20; ++i) {
      const FiberRef found = jobs::find_fiber(fibers[static_cast<std::size_t>(i)].id());
      ASSERT_TRUE(found);
      EXPECT_EQ(found.name(), std::to_string(i));
      EXPECT_TRUE(found == FiberRef(fibers[static_cast<std::size_t>(i)]));
    }
    go.signal();
    for (auto& fiber : fibers) {
      const jobs::FiberId id = fiber.id();
      fiber.join();
      EXPECT_FALSE(jobs::find_fiber(id));
    }
    EXPECT_FALSE(jobs::find_fiber(jobs::FiberId{}));
  });
}

TEST_P(FiberLife, IsListedWithWhatItDoes) {
  run([&] {
    jobs::Event go;
    jobs::Fiber<> fiber(
        [&] {
          // Not five times: a sleep does not switch if its end has passed before it starts, because
          // this thread was preempted.
          while (jobs::this_fiber::ref().info().switches < 5) jobs::this_fiber::sleep_for(10us);
          go.wait();
        },
        {.name = "listed", .daemon = true});
    while (fiber.info().switches < 5) jobs::yield();
    await_state(fiber, FiberState::kWaiting);
    int seen = 0;
    for (const FiberRef& live : jobs::live_fibers()) {
      const jobs::FiberInfo info = live.info();
      if (info.id != fiber.id()) continue;
      ++seen;
      EXPECT_EQ(info.name, "listed");
      EXPECT_EQ(info.state, FiberState::kWaiting);
      EXPECT_LT(info.worker, 16u);
      EXPECT_GE(info.switches, 5u);
      EXPECT_TRUE(info.daemon);
    }
    EXPECT_EQ(seen, 1);
    go.signal();
    const FiberRef ref = fiber;
    fiber.join();
    EXPECT_GE(ref.info().switches, 5u);
    for (const FiberRef& live : jobs::live_fibers()) EXPECT_FALSE(live == ref);
  });
}

TEST_P(FiberLife, CanBeRenamed) {
  run([&] {
    jobs::Event renamed, go;
    jobs::Fiber<> fiber(
        [&] {
          jobs::this_fiber::set_name("a name that is longer than any small string");
          renamed.signal();
          go.wait();
        },
        {.name = "before"});
    renamed.wait();
    EXPECT_EQ(fiber.name(), "a name that is longer than any small string");
    go.signal();
    fiber.join();
    EXPECT_THROW(jobs::this_fiber::set_name("no fiber"), jobs::Error);
  });
}

TEST_P(FiberLife, KeepsReferencesSafeAfterItsEnd) {
  run([&] {
    std::vector<FiberRef> refs;
    for (int i = 0; i < 50; ++i) {
      jobs::Fiber<> fiber([] {});
      refs.emplace_back(fiber);
      fiber.join();
    }
    for (const FiberRef& ref : refs) {
      EXPECT_FALSE(ref.schedule());
      EXPECT_FALSE(ref.schedule_exception(std::make_exception_ptr(1)));
      ref.request_stop();
      ref.wait();
      EXPECT_TRUE(ref.wait_for(0s));
      EXPECT_EQ(ref.state(), FiberState::kDead);
    }
  });
}

TEST_P(FiberLife, WakesSeveralJoinersInOrder) {
  run([&] {
    jobs::Event go;
    jobs::Fiber<int> fiber([&] {
      go.wait();
      return 7;
    });
    const FiberRef ref = fiber;
    jobs::Mutex mutex;
    std::vector<int> order;
    std::vector<jobs::Fiber<>> joiners;
    for (int i = 0; i < 10; ++i) {
      joiners.emplace_back([&, i] {
        ref.wait();
        const std::scoped_lock lock(mutex);
        order.push_back(i);
      });
      await_state(joiners.back(), FiberState::kWaiting);
    }
    EXPECT_FALSE(ref.wait_for(1ms));
    EXPECT_FALSE(ref.wait_until(std::chrono::steady_clock::now()));
    EXPECT_FALSE(fiber.join_until(std::chrono::steady_clock::now() + 1ms));
    go.signal();
    for (auto& joiner : joiners) joiner.join();
    EXPECT_EQ(order.size(), 10u);
    if (is_serial()) {
      EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
    EXPECT_EQ(fiber.join(), 7);
  });
}

TEST_P(FiberLife, RefusesToWaitForItself) {
  run([&] {
    jobs::Fiber<bool> fiber([] {
      try {
        jobs::this_fiber::ref().wait();
      } catch (const jobs::Error& error) {
        return error.code() == jobs::ErrorCode::kBadArgument;
      }
      return false;
    });
    EXPECT_TRUE(fiber.join());
    EXPECT_FALSE(jobs::this_fiber::ref());
  });
}

TEST_P(FiberLife, GetsTheStackItAskedFor) {
  run([&] {
    std::vector<jobs::Fiber<int>> fibers;
    for (int i = 0; i < 5; ++i) {
      fibers.emplace_back(
          [] {
            volatile char frame[1 << 20];
            std::memset(const_cast<char*>(frame), 7, sizeof frame);
            jobs::yield();
            return static_cast<int>(frame[1000]);
          },
          jobs::FiberOptions{.stack_size = 1 << 22});
    }
    for (auto& fiber : fibers) EXPECT_EQ(fiber.join(), 7);
    if (is_external()) return;
    jobs::Fiber<int> now(
        [] {
          volatile char frame[1 << 20];
          frame[0] = 7;
          return static_cast<int>(frame[0]);
        },
        {.stack_size = 1 << 22, .start = FiberStart::kNow});
    EXPECT_EQ(now.join(), 7);
  });
}

TEST_P(FiberLife, RunsWhileTheCallerIsInNoFiber) {
  // T50: the running fiber is known at any instant, and outside of it the id differs.
  run([&] {
    const jobs::FiberId outside = jobs::this_fiber::id();
    jobs::Fiber<bool> fiber([&] {
      const jobs::FiberId inside = jobs::this_fiber::id();
      jobs::yield();
      return inside != outside && inside == jobs::this_fiber::id() &&
             inside == jobs::this_fiber::ref().id();
    });
    EXPECT_TRUE(fiber.join());
    EXPECT_EQ(jobs::this_fiber::id(), outside);
  });
}

// --- shutdown -----------------------------------------------------------------------------------

TEST(FiberShutdown, DoesNotWaitForDaemons) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    std::atomic<int> ended{0};
    {
      jobs::Scheduler scheduler({.worker_count = workers});
      scheduler.run([&] {
        jobs::Fiber<>(
            [&ended] {
              struct AtEnd {
                std::atomic<int>& count;
                ~AtEnd() { ++count; }
              };
              const AtEnd at_end{ended};
              jobs::Event never;
              never.wait();
            },
            {.daemon = true})
            .detach();
        jobs::Fiber<>(
            [&ended](std::stop_token stop) {
              while (!stop.stop_requested()) jobs::this_fiber::sleep_for(1ms);
              ++ended;
            },
            {.daemon = true})
            .detach();
        jobs::Fiber<>([] {}, {.daemon = true}).detach();
        jobs::Fiber<>([&ended] {
          jobs::this_fiber::sleep_for(5ms);
          // No daemon: the shutdown waits for this fiber, and daemons run until then.
          EXPECT_EQ(ended, 0);
        }).detach();
      });
    }
    EXPECT_GE(ended, 1) << workers;  // the second one may be cancelled in its sleep
    EXPECT_LE(ended, 2);
  }
}

// A worker with such daemons never sleeps.
TEST(FiberShutdown, StopsDaemonsThatYield) {
  for (const unsigned workers : {1u, 2u, 4u}) {
    for (const int daemons : {1, 2, 5}) {
      std::atomic<int> ended{0};
      {
        jobs::Scheduler scheduler({.worker_count = workers});
        scheduler.run([&] {
          for (int i = 0; i < daemons; ++i) {
            jobs::Fiber<>(
                [&ended](std::stop_token stop) {
                  while (!stop.stop_requested()) jobs::yield();
                  ++ended;
                },
                {.daemon = true})
                .detach();
          }
        });
      }
      EXPECT_EQ(ended, daemons) << workers;
    }
  }
}

// More daemons than a shutdown stops at a time.
TEST(FiberShutdown, StopsManyDaemons) {
  constexpr int kDaemons = 200;
  std::atomic<int> stopped{0};
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([&] {
    for (int i = 0; i < kDaemons; ++i) {
      jobs::Fiber<>(
          [&stopped](std::stop_token stop) {
            const jobs::CancelShield shield;
            while (!stop.stop_requested()) jobs::this_fiber::sleep_for(1ms);
            ++stopped;
          },
          {.daemon = true})
          .detach();
    }
  });
  scheduler.shutdown();
  EXPECT_EQ(stopped, kDaemons);
}

TEST(FiberShutdown, RefusesToStartWhatWasCreatedSuspended) {
  jobs::Fiber<> fiber;
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([&] { fiber = jobs::Fiber<>([] {}, {.start = FiberStart::kSuspended}); });
  scheduler.shutdown();
  EXPECT_THROW(fiber.schedule(), jobs::Error);
  EXPECT_THROW(fiber.join(), jobs::Error);
}

}  // namespace
