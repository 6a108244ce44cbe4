// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The primitives on fibers that share a thread: a waiting fiber does not block the thread, and
// waiters resume in FIFO order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "jobs/base/thread_safety.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/in_turn.hpp"
#include "tests/sync/fiber_thread.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::ConditionVariable;
using jobs::Counter;
using jobs::Event;
using jobs::Mutex;
using jobs::test::Body;
using jobs::test::InTurn;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::run_fibers;
using testing::ElementsAre;

// Records the order in which fibers pass.
struct Order {
  std::vector<int> passed;
  Body after(int fiber, Body wait) {
    return [this, fiber, wait = std::move(wait)] {
      wait();
      const InTurn turn(this);
      passed.push_back(fiber);
    };
  }
};

TEST(Fibers, EventWakesInTheOrderOfTheWaits) {
  Event event;
  Order order;
  const Body wait = [&] { event.wait(); };
  run_fibers(
      {order.after(1, wait), order.after(2, wait), order.after(3, wait), [&] { event.signal(); }});
  EXPECT_THAT(order.passed, ElementsAre(1, 2, 3));
}

TEST(Fibers, EventWakesInOrderFromAnotherThreadToo) {
  Event event;
  Event all_wait;
  Order order;
  const Body wait = [&] { event.wait(); };
  const std::jthread signaller([&] {
    all_wait.wait();
    event.signal();
  });
  run_fibers({order.after(1, wait), order.after(2, wait), order.after(3, wait),
              [&] { all_wait.signal(); }});
  EXPECT_THAT(order.passed, ElementsAre(1, 2, 3));
}

TEST(Fibers, CounterWakesInTheOrderOfTheWaits) {
  Counter counter(2);
  Order order;
  const Body wait = [&] { counter.wait(); };
  run_fibers({order.after(1, wait), order.after(2, wait), [&] { counter.done(); },
              order.after(3, wait), [&] { counter.done(); }});
  EXPECT_THAT(order.passed, ElementsAre(1, 2, 3));
}

TEST(Fibers, MutexServesInTheOrderOfTheLocks) {
  Mutex mutex;
  Event release;
  Order order;
  const Body lock = [&] { const std::scoped_lock held(mutex); };
  const Body hold = [&] {
    const std::scoped_lock held(mutex);
    release.wait();
  };
  run_fibers({hold, order.after(1, lock), order.after(2, lock), order.after(3, lock),
              [&] { release.signal(); }});
  EXPECT_THAT(order.passed, ElementsAre(1, 2, 3));
}

TEST(Fibers, ALateMutexWaiterLosesItsPlaceOnly) {
  Mutex mutex;
  Event release;
  Order order;
  run_fibers({[&] {
                const std::scoped_lock held(mutex);
                release.wait();
              },
              [&] { EXPECT_FALSE(mutex.try_lock_for(kShort)); },
              order.after(2, [&] { const std::scoped_lock held(mutex); }),
              order.after(3, [&] { const std::scoped_lock held(mutex); }),
              [&] {
                EXPECT_FALSE(Event().wait_for(4 * kShort));
                release.signal();
              }});
  EXPECT_THAT(order.passed, ElementsAre(2, 3));
}

// The lock owner takes the mutex again before the woken fiber runs. It cannot overtake the waiter a
// second time.
TEST(Fibers, AMutexWaiterIsOvertakenAtMostOnce) {
  Mutex mutex;
  Event waiting;
  std::vector<std::string> log;
  run_fibers({[&] {
                mutex.lock();
                waiting.wait();
                mutex.unlock();  // the waiter is ready, the mutex free
                mutex.lock();
                log.push_back("overtaken");
                EXPECT_FALSE(Event().wait_for(kShort));  // the waiter runs, and finds it locked
                mutex.unlock();                          // passes the mutex to the waiter
                EXPECT_FALSE(mutex.try_lock());
                mutex.lock();
                log.push_back("again");
                mutex.unlock();
              },
              [&] {
                waiting.signal();
                mutex.lock();
                log.push_back("waiter");
                mutex.unlock();
              }});
  EXPECT_THAT(log, ElementsAre("overtaken", "waiter", "again"));
}

TEST(Fibers, NotifyOneWakesTheFirstWaiter) {
  Mutex mutex;
  ConditionVariable changed;
  Order order;
  const Body wait = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  };
  run_fibers({order.after(1, wait), order.after(2, wait), order.after(3, wait), [&] {
                changed.notify_one();
                EXPECT_FALSE(Event().wait_for(kShort));
                {
                  const InTurn turn(&order);
                  EXPECT_THAT(order.passed, ElementsAre(1));
                }
                changed.notify_all();
              }});
  EXPECT_THAT(order.passed, ElementsAre(1, 2, 3));
}

TEST(Fibers, NotifiedWaitersQueueForTheMutexInOrder) {
  Mutex mutex;
  ConditionVariable changed;
  Order order;
  const Body wait = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock);
  };
  run_fibers({order.after(1, wait), order.after(2, wait), [&] {
                const std::scoped_lock held(mutex);
                changed.notify_all();
                EXPECT_FALSE(Event().wait_for(kShort));
                EXPECT_THAT(order.passed, ElementsAre()) << "the mutex is held";
              }});
  EXPECT_THAT(order.passed, ElementsAre(1, 2));
}

// The order holds for waits that began before the first deadline passed. A busy machine needs
// longer deadlines.
TEST(Fibers, DeadlinesPassInTheirOwnOrder) {
  bool in_time = false;
  for (auto unit = kShort; !in_time; unit *= 2) {
    Event never;
    Order order;
    const auto now = std::chrono::steady_clock::now();
    run_fibers({order.after(1, [&] { EXPECT_FALSE(never.wait_until(now + 12 * unit)); }),
                order.after(2, [&] { EXPECT_FALSE(never.wait_until(now + 4 * unit)); }),
                order.after(3, [&] { EXPECT_FALSE(never.wait_until(now + 8 * unit)); }),
                [&] { in_time = std::chrono::steady_clock::now() < now + 4 * unit; }});
    if (in_time) {
      EXPECT_THAT(order.passed, ElementsAre(2, 3, 1));
    }
  }
}

// At its end, FiberThread checks that no deadline is still armed.
TEST(Fibers, AWaitThatWasWokenTakesItsDeadlineAway) {
  Event event;
  run_fibers({[&] { EXPECT_TRUE(event.wait_for(kLong)); }, [&] { event.signal(); }});
}

// A deadline of one wait must not end the next one.
TEST(Fibers, ATimedWaitLeavesNothingBehind) {
  Event first;
  Event second;
  run_fibers({[&] {
                EXPECT_TRUE(first.wait_for(kShort));
                const auto start = std::chrono::steady_clock::now();
                EXPECT_FALSE(second.wait_for(4 * kShort));
                EXPECT_GE(std::chrono::steady_clock::now() - start, 4 * kShort);
              },
              [&] { first.signal(); }});
}

TEST(Fibers, MutexBelongsToTheFiberNotToTheThread) {
  Mutex mutex;
  int inside = 0;
  const Body body = [&] {
    for (int round = 0; round < 10; ++round) {
      const std::scoped_lock held(mutex);
      EXPECT_EQ(++inside, 1);
      // Other fibers run meanwhile, and wait for the lock.
      EXPECT_FALSE(Event().wait_for(std::chrono::microseconds(1)));
      --inside;
    }
  };
  run_fibers({body, body, body});
}

TEST(FibersDeathTest, MutexUnlockedByAnotherFiberOfTheThread) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Mutex mutex;
        run_fibers({[&]() JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.lock(); },
                    [&]() JOBS_NO_THREAD_SAFETY_ANALYSIS { mutex.unlock(); }});
      },
      "jobs: Mutex 0x[0-9a-f]+: unlock\\(\\) by a fiber or thread that does not own it \\[fiber 2, "
      "test thread\\]\n");
}

TEST(Fibers, SuspensionInACatchBlockKeepsTheException) {
  Event first;
  Event second;
  const auto body = [](const char* what, Event& wait_for, Event& then_signal) {
    return [what, &wait_for, &then_signal] {
      try {
        try {
          throw std::runtime_error(what);
        } catch (const std::runtime_error&) {
          wait_for.wait();
          then_signal.signal();
          EXPECT_FALSE(Event().wait_for(kShort));
          throw;
        }
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), what);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    };
  };
  run_fibers({body("one", first, second), body("two", second, first), [&] { first.signal(); }});
}

// ~Counter waits while the stack unwinds. The other fibers of the thread must not see this
// unwinding as theirs.
TEST(Fibers, UnwindingIsAStateOfTheFiber) {
  std::vector<std::string> log;
  std::atomic<Counter*> unwinding = nullptr;
  run_fibers({[&] {
                try {
                  Counter counter(1);
                  unwinding = &counter;
                  throw std::runtime_error("unwinding");
                } catch (const std::runtime_error& error) {
                  log.push_back(error.what());
                }
              },
              [&] {
                EXPECT_EQ(std::uncaught_exceptions(), 0);
                log.push_back("other fiber");
                unwinding.load()->done();
              }});
  EXPECT_THAT(log, ElementsAre("other fiber", "unwinding"));
}

TEST(Fibers, WaitRethrowsOnTheFiberThatWaits) {
  Counter counter(1);
  run_fibers({[&] { EXPECT_THROW(counter.wait(), std::logic_error); },
              [&] {
                counter.fail(std::make_exception_ptr(std::logic_error("failed")));
                counter.done();
              }});
}

}  // namespace
