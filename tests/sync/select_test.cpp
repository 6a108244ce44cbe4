// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// select() over counters, fibers, semaphores and events, and Event::any(). waits_test.cpp tests
// what is common to all waits.
#include "jobs/sync/select.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/semaphore.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/scale.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::Counter;
using jobs::Event;
using jobs::Fiber;
using jobs::Semaphore;

class Selects : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Selects);

// Each of the four kinds ends one selection, and leaves the remaining ones alone.
TEST_P(Selects, WaitForObjectsOfSeveralKinds) {
  run([] {
    for (std::size_t first = 0; first < 4; ++first) {
      Counter counter(1);
      Semaphore semaphore(0);
      Event event;
      Event end;
      Fiber<std::string> fiber([&] {
        end.wait();
        return std::string("result");
      });
      Counter done;
      jobs::spawn(done, [&] {
        jobs::this_fiber::sleep_for(200us);
        if (first == 0) counter.done();
        if (first == 1) semaphore.release();
        if (first == 2) event.signal();
        if (first == 3) end.signal();
      });
      EXPECT_EQ(jobs::select(counter.on_zero(), semaphore.on_acquire(), event.on_signal(),
                             fiber.on_end()),
                first);
      done.wait();
      EXPECT_FALSE(semaphore.try_acquire()) << "the one permit is taken";
      EXPECT_EQ(fiber.join_for(0s), first == 3);
      if (first != 0) counter.done();
      end.signal();
      EXPECT_EQ(fiber.join(), "result");
    }
  });
}

TEST_P(Selects, TakeNothingFromASemaphoreThatIsNotChosen) {
  run([] {
    Semaphore semaphore(1);
    Event event;
    event.signal();
    EXPECT_EQ(jobs::select(event.on_signal(), semaphore.on_acquire()), 0u);
    EXPECT_EQ(jobs::select(semaphore.on_acquire(), event.on_signal()), 0u);
    EXPECT_FALSE(semaphore.try_acquire());
  });
}

// Permits of two semaphores go to selections in either order, and to plain callers between them.
TEST_P(Selects, LoseNoPermit) {
  run([] {
    const int permits = jobs::test::scaled(400);
    Semaphore one(0);
    Semaphore two(0);
    Counter done;
    for (int i = 0; i < permits; ++i) {
      jobs::spawn(done, [&, i] {
        if (i % 3 == 0) {
          jobs::select(one.on_acquire(), two.on_acquire());
        } else if (i % 3 == 1) {
          jobs::select(two.on_acquire(), one.on_acquire());
        } else {
          (i % 2 == 0 ? one : two).acquire();
        }
      });
    }
    for (int i = 0; i < permits; ++i) {
      (i % 2 == 0 ? one : two).release();
      if (i % 16 == 0) jobs::yield();
    }
    // The selections may have taken all permits of a semaphore that a plain caller waits for.
    int spare = 0;
    while (!done.wait_for(5ms)) {
      one.release();
      two.release();
      spare += 2;
    }
    int left = 0;
    while (one.try_acquire() || two.try_acquire()) ++left;
    EXPECT_EQ(left, spare);
  });
}

TEST_P(Selects, LeaveTheExceptionOfAJobToTheWait) {
  run([] {
    Counter counter;
    Event never;
    jobs::spawn(counter, [] { throw std::runtime_error("job"); });
    EXPECT_EQ(jobs::select(never.on_signal(), counter.on_zero()), 1u);
    EXPECT_THROW(counter.wait(), std::runtime_error);
  });
}

TEST_P(Selects, TellWhichFiberEndsFirst) {
  run([] {
    Event end;
    std::vector<Fiber<int>> fibers;
    fibers.push_back(jobs::async([&] {
      end.wait();
      return 1;
    }));
    fibers.push_back(jobs::async([]() -> int { throw std::runtime_error("fiber"); }));
    EXPECT_EQ(jobs::select(fibers[0].on_end(), fibers[1].on_end()), 1u);
    EXPECT_THROW(fibers[1].join(), std::runtime_error);
    const jobs::FiberRef ref = fibers[0];
    EXPECT_EQ(jobs::select_for(1ms, ref.on_end()), std::nullopt);
    end.signal();
    EXPECT_EQ(jobs::select(ref.on_end()), 0u);
    EXPECT_EQ(fibers[0].join(), 1);
    EXPECT_EQ(jobs::try_select(ref.on_end()), 0u) << "also after the join";
  });
}

TEST_P(Selects, RefuseAFiberThatCannotEndMeanwhile) {
  run([] {
    const jobs::FiberRef empty;
    EXPECT_EQ(jobs::test::code_of([&] { jobs::select(empty.on_end()); }),
              jobs::ErrorCode::kBadArgument);
    Fiber<> itself([] { jobs::select(jobs::this_fiber::ref().on_end()); });
    EXPECT_EQ(jobs::test::code_of([&] { itself.join(); }), jobs::ErrorCode::kBadArgument);
  });
}

// A selection that is cancelled or late leaves nothing behind in any list.
TEST_P(Selects, EndByAStopAndLeaveNothingBehind) {
  run([] {
    Counter counter(1);
    Semaphore semaphore(0);
    Fiber<> endless([] { jobs::this_fiber::suspend(); });
    Fiber<> fiber(
        [&] { jobs::select(counter.on_zero(), semaphore.on_acquire(), endless.on_end()); });
    jobs::this_fiber::sleep_for(200us);
    EXPECT_FALSE(fiber.stop_and_join());
    semaphore.release();
    EXPECT_TRUE(semaphore.try_acquire());
    counter.done();
    EXPECT_FALSE(endless.stop_and_join());
  });
}

TEST_P(Selects, AnyTellsWhichEventIsSet) {
  run([] {
    Event manual;
    Event automatic(Event::Reset::kAutomatic);
    Counter done;
    jobs::spawn(done, [&] {
      jobs::this_fiber::sleep_for(200us);
      automatic.signal();
    });
    EXPECT_EQ(Event::any(manual, automatic), 1u);
    EXPECT_FALSE(automatic.is_set()) << "the wait has used the signal";
    done.wait();
    manual.signal();
    automatic.signal();
    EXPECT_EQ(Event::any(manual, automatic), 0u) << "the first one counts";
    EXPECT_TRUE(manual.is_set());
    EXPECT_TRUE(automatic.is_set());
  });
}

}  // namespace
