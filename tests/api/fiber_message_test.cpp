// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Messages to a fiber: schedule it (with a value), make it throw an exception, stop it. Also the
// fibers that do not receive them: shields and granted waits.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/fiber.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::FiberRef;
using jobs::FiberStart;
using jobs::FiberState;

void await_state(const FiberRef& fiber, FiberState state) {
  while (fiber.state() != state) jobs::yield();
}

// --- schedule -----------------------------------------------------------------------------------

class FiberSchedule : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(FiberSchedule);

TEST_P(FiberSchedule, ReturnsTheValueFromSuspend) {
  run([&] {
    jobs::Fiber<std::string> fiber([] {
      std::string text = jobs::this_fiber::suspend<std::string>();
      // Move-only values are allowed.
      auto number = jobs::this_fiber::suspend<std::unique_ptr<int>>();
      jobs::this_fiber::suspend();
      return text + std::to_string(*number);
    });
    await_state(fiber, FiberState::kWaiting);
    EXPECT_TRUE(fiber.schedule(std::string("n")));
    while (!fiber.schedule(std::make_unique<int>(5))) jobs::yield();
    while (!fiber.schedule()) jobs::yield();
    EXPECT_EQ(fiber.join(), "n5");
  });
}

TEST_P(FiberSchedule, NeverSwitches) {
  run([&] {
    if (!is_serial()) return;
    std::atomic<bool> went_on = false;
    jobs::Fiber<> fiber([&] {
      jobs::this_fiber::suspend();
      went_on = true;
    });
    await_state(fiber, FiberState::kWaiting);
    EXPECT_TRUE(fiber.schedule());
    EXPECT_EQ(fiber.state(), FiberState::kRunnable);
    EXPECT_FALSE(went_on);
    fiber.join();
    EXPECT_TRUE(went_on);
  });
}

TEST_P(FiberSchedule, IsIdempotentOnTheReadyTheDeadAndItself) {
  run([&] {
    int turns = 0;
    jobs::Fiber<> fiber([&] {
      EXPECT_FALSE(jobs::this_fiber::ref().schedule());
      jobs::this_fiber::suspend();
      ++turns;
      EXPECT_FALSE(jobs::this_fiber::suspend_for(5ms)) << "a second wake-up was kept";
    });
    await_state(fiber, FiberState::kWaiting);
    const FiberRef ref = fiber;
    if (is_serial()) {
      EXPECT_TRUE(ref.schedule());
      EXPECT_FALSE(ref.schedule());
      EXPECT_FALSE(ref.schedule());
    } else {
      ref.schedule();
    }
    fiber.join();
    EXPECT_FALSE(ref.schedule());
    EXPECT_EQ(turns, 1);
  });
}

TEST_P(FiberSchedule, IsKeptOnceForAFiberThatDoesNotWaitYet) {
  run([&] {
    std::atomic<bool> go{false};
    jobs::Fiber<int> fiber([&] {
      while (!go) jobs::yield();
      const int first = jobs::this_fiber::suspend<int>();
      return jobs::this_fiber::suspend_for(1ms) ? -1 : first;
    });
    EXPECT_TRUE(fiber.schedule(3));
    EXPECT_FALSE(fiber.schedule()) << "its next suspension ends in any case";
    go = true;
    EXPECT_EQ(fiber.join(), 3);

    go = false;
    jobs::Fiber<bool> woken([&] {
      while (!go) jobs::yield();
      jobs::this_fiber::suspend();
      return jobs::this_fiber::suspend_for(1ms);
    });
    EXPECT_TRUE(woken.schedule());
    EXPECT_FALSE(woken.schedule());
    go = true;
    EXPECT_FALSE(woken.join());
  });
}

TEST_P(FiberSchedule, QueuesValuesInOrder) {
  run([&] {
    for (const FiberStart start : {FiberStart::kLater, FiberStart::kNow, FiberStart::kSuspended}) {
      jobs::Fiber<std::vector<int>> fiber(
          [] {
            std::vector<int> values;
            for (int i = 0; i < 3; ++i) values.push_back(jobs::this_fiber::suspend<int>());
            EXPECT_FALSE(jobs::this_fiber::suspend_for<int>(1ms).has_value()) << "each once";
            return values;
          },
          {.start = start});
      for (const int value : {1, 2, 3}) EXPECT_TRUE(fiber.schedule(value));
      EXPECT_EQ(fiber.join(), (std::vector{1, 2, 3}));
      EXPECT_FALSE(fiber.schedule(4)) << "the mailbox is closed";
    }
  });
}

TEST_P(FiberSchedule, QueuesAValueBehindAWakeUp) {
  run([&] {
    std::atomic<bool> go{false};
    jobs::Fiber<int> fiber([&] {
      while (!go) jobs::yield();
      jobs::this_fiber::suspend();
      return 10 * jobs::this_fiber::suspend<int>() + jobs::this_fiber::suspend<int>();
    });
    EXPECT_TRUE(fiber.schedule());
    EXPECT_TRUE(fiber.schedule(1));
    EXPECT_TRUE(fiber.schedule(2));
    go = true;
    EXPECT_EQ(fiber.join(), 12);
  });
}

TEST_P(FiberSchedule, RefusesValuesWhileTheQueueIsFull) {
  run([&] {
    // The test owns the number of values in existence: none is lost, and each one is destroyed.
    const auto alive = std::make_shared<int>();
    constexpr long kMax = FiberRef::kMaxValues;
    std::atomic<bool> reads_one{false};
    std::atomic<bool> has_read{false};
    std::atomic<bool> go{false};
    jobs::Fiber<> fiber([&] {
      while (!reads_one) jobs::yield();
      static_cast<void>(jobs::this_fiber::suspend<std::shared_ptr<int>>());
      has_read = true;
      while (!go) jobs::yield();
    });
    for (long i = 0; i < kMax; ++i) EXPECT_TRUE(fiber.schedule(alive));
    EXPECT_EQ(alive.use_count(), 1 + kMax);
    EXPECT_FALSE(fiber.schedule(alive));
    EXPECT_NE(fiber.state(), FiberState::kDead) << "the state tells a full queue from the end";
    EXPECT_EQ(alive.use_count(), 1 + kMax);
    reads_one = true;
    while (!has_read) jobs::yield();
    EXPECT_TRUE(fiber.schedule(alive)) << "a place is free again";
    EXPECT_FALSE(fiber.schedule(alive));
    FiberRef ref = fiber;
    go = true;
    fiber.join();
    EXPECT_FALSE(ref.schedule(alive));
    ref = FiberRef();
    EXPECT_EQ(alive.use_count(), 1) << "the values that were left are destroyed";
  });
}

TEST_P(FiberSchedule, KeepsTheLaterValuesIfOneHasTheWrongType) {
  run([&] {
    std::atomic<bool> go{false};  // schedule() throws if the fiber waits for another type already
    jobs::Fiber<int> fiber([&] {
      while (!go) jobs::yield();
      const int first = jobs::this_fiber::suspend<int>();
      EXPECT_THROW(jobs::this_fiber::suspend<int>(), jobs::Error);
      return 10 * first + jobs::this_fiber::suspend<int>();
    });
    EXPECT_TRUE(fiber.schedule(1));
    EXPECT_TRUE(fiber.schedule(std::string("text")));
    EXPECT_TRUE(fiber.schedule(2));
    go = true;
    EXPECT_EQ(fiber.join(), 12);
  });
}

TEST_P(FiberSchedule, KeepsQueuedValuesOverTimeoutsAndOtherWaits) {
  run([&] {
    jobs::Fiber<int> fiber([] {
      int sum = 0;
      for (int i = 0; i < 20;) {
        if (const auto value = jobs::this_fiber::suspend_for<int>(1us)) {
          EXPECT_EQ(*value, i) << "in order";
          sum += *value;
          ++i;
        }
        jobs::this_fiber::sleep_for(1us);
      }
      return sum;
    });
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(fiber.schedule(i));
    EXPECT_EQ(fiber.join(), 190);
  });
}

TEST_P(FiberSchedule, BringsTheFirstValueToAFiberThatWasCreatedSuspended) {
  run([&] {
    jobs::Fiber<int> fiber([] { return 2 * jobs::this_fiber::suspend<int>(); },
                           {.start = FiberStart::kSuspended});
    EXPECT_TRUE(fiber.schedule(21));
    EXPECT_EQ(fiber.join(), 42);
    jobs::Fiber<bool> plain([] { return jobs::this_fiber::suspend_for(1ms); },
                            {.start = FiberStart::kSuspended});
    EXPECT_TRUE(plain.schedule());
    EXPECT_FALSE(plain.join()) << "what started it is no reason to go on";
  });
}

TEST_P(FiberSchedule, RefusesAValueOfAnotherType) {
  run([&] {
    jobs::Fiber<int> fiber([] { return jobs::this_fiber::suspend<int>(); });
    await_state(fiber, FiberState::kWaiting);
    EXPECT_THROW(fiber.schedule(std::string("text")), jobs::Error);
    EXPECT_THROW(fiber.schedule(), jobs::Error);
    EXPECT_TRUE(fiber.schedule(1));
    EXPECT_EQ(fiber.join(), 1);

    jobs::Fiber<int> early([] { return jobs::this_fiber::suspend<int>(); },
                           {.start = FiberStart::kSuspended});
    EXPECT_TRUE(early.schedule(1.5));
    EXPECT_THROW(early.join(), jobs::Error);
    EXPECT_THROW(jobs::this_fiber::suspend(), jobs::Error) << "nobody could schedule a plain job";
  });
}

TEST_P(FiberSchedule, ThrowsAnExceptionFromTheWait) {
  run([&] {
    jobs::Event never;
    jobs::Mutex held;
    held.lock();
    jobs::Fiber<int> fiber([&] {
      int caught = 0;
      const auto expect = [&](auto&& wait) {
        try {
          wait();
        } catch (const std::runtime_error&) {
          ++caught;
        }
      };
      expect([&] { jobs::this_fiber::suspend(); });
      expect([&] { never.wait(); });
      expect([&] { const std::scoped_lock lock(held); });
      expect([&] { jobs::this_fiber::sleep_for(1h); });
      expect([&] { static_cast<void>(never.wait_for(1h)); });
      return caught;
    });
    for (int i = 0; i < 5; ++i) {
      await_state(fiber, FiberState::kWaiting);
      const auto switches = fiber.info().switches;
      EXPECT_TRUE(fiber.schedule_exception(std::make_exception_ptr(std::runtime_error("now"))));
      while (fiber.info().switches == switches) jobs::yield();
    }
    EXPECT_EQ(fiber.join(), 5);
    held.unlock();
  });
}

TEST_P(FiberSchedule, LetsAnExceptionGoBeforeAnEarlierValue) {
  run([&] {
    jobs::Fiber<int> fiber(
        [] {
          int value = 0;
          try {
            value = jobs::this_fiber::suspend<int>();
          } catch (const std::runtime_error&) {
            value = 100 + jobs::this_fiber::suspend<int>();  // the value is still there
          }
          return value;
        },
        {.start = FiberStart::kSuspended});
    EXPECT_TRUE(fiber.schedule(1));
    const bool in_time =
        fiber.schedule_exception(std::make_exception_ptr(std::runtime_error("first")));
    if (is_serial()) {
      EXPECT_TRUE(in_time);
      EXPECT_EQ(fiber.join(), 101);
    } else {
      fiber.join();
    }
  });
}

TEST_P(FiberSchedule, GivesUpInTime) {
  run([&] {
    jobs::Fiber<bool> fiber([] {
      const auto start = std::chrono::steady_clock::now();
      const bool woken = jobs::this_fiber::suspend_for(5ms);
      const auto value = jobs::this_fiber::suspend_until<int>(start + 10ms);
      return !woken && !value && std::chrono::steady_clock::now() - start >= 10ms;
    });
    EXPECT_TRUE(fiber.join());
  });
}

TEST_P(FiberSchedule, PassesMessagesToAndFro) {
  run([&] {
    constexpr int kRounds = 200;
    jobs::Fiber<int> pong;
    jobs::Fiber<int> ping([&] {
      int last = 0;
      for (int i = 0; i < kRounds; ++i) last = jobs::this_fiber::suspend<int>();
      return last;
    });
    const FiberRef to_ping = ping;
    pong = jobs::Fiber<int>([to_ping] {
      int sent = 0;
      while (sent < kRounds) {
        if (to_ping.schedule(sent + 1)) {
          ++sent;
        } else {
          jobs::yield();
        }
      }
      return sent;
    });
    EXPECT_EQ(pong.join(), kRounds);
    EXPECT_EQ(ping.join(), kRounds);
  });
}

// --- request_stop -------------------------------------------------------------------------------

class FiberCancel : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(FiberCancel);

TEST_P(FiberCancel, EndsEveryKindOfWait) {
  run([&] {
    jobs::Event never;
    jobs::Counter pending(1);
    jobs::Mutex held, mutex;
    jobs::ConditionVariable silent;
    held.lock();
    jobs::Fiber<> other([&] { never.wait(); });
    const FiberRef other_ref = other;
    const auto unwinds = [&](auto wait) {
      bool destroyed = false;
      jobs::Fiber<> fiber([&] {
        struct Destroyed {
          bool& flag;
          ~Destroyed() { flag = true; }
        };
        const Destroyed at_end{destroyed};
        wait();
        ADD_FAILURE() << "the wait has returned";
      });
      await_state(fiber, FiberState::kWaiting);
      EXPECT_TRUE(fiber.request_stop());
      EXPECT_FALSE(fiber.request_stop());
      EXPECT_THROW(fiber.join(), jobs::Cancelled);
      EXPECT_TRUE(destroyed);
    };
    unwinds([&] { never.wait(); });
    unwinds([&] { static_cast<void>(never.wait_for(1h)); });
    unwinds([&] { pending.wait(); });
    unwinds([&] { const std::scoped_lock lock(held); });
    unwinds([&] { static_cast<void>(held.try_lock_for(1h)); });
    unwinds([&] {
      std::unique_lock lock(mutex);
      silent.wait(lock);
    });
    unwinds([&] {
      std::unique_lock lock(mutex);
      static_cast<void>(silent.wait_for(lock, 1h));
    });
    unwinds([&] { jobs::this_fiber::sleep_for(1h); });
    unwinds([&] { jobs::this_fiber::suspend(); });
    unwinds([&] { other_ref.wait(); });
    EXPECT_TRUE(std::unique_lock(mutex, std::try_to_lock).owns_lock())
        << "it was unlocked on the way";
    held.unlock();
    pending.done();
    never.signal();
    other.join();
  });
}

TEST_P(FiberCancel, IsSeenByEveryWaitFromThenOn) {
  run([&] {
    jobs::Event never;
    jobs::Fiber<int> fiber([&] {
      int thrown = 0;
      for (int i = 0; i < 3; ++i) {
        try {
          never.wait();
        } catch (const jobs::Cancelled& cancelled) {
          EXPECT_EQ(cancelled.scope(), nullptr);
          ++thrown;
        }
      }
      return thrown;
    });
    fiber.request_stop();  // before, during or after its wait
    EXPECT_EQ(fiber.join(), 3);
  });
}

TEST_P(FiberCancel, LetsAWaitSucceedThatNeedNotSuspend) {
  run([&] {
    jobs::Fiber<> fiber([] {
      while (!jobs::this_fiber::stop_token().stop_requested()) jobs::yield();
      jobs::Event set;
      set.signal();
      set.wait();
      jobs::Mutex free;
      const std::scoped_lock lock(free);
      jobs::yield();
      EXPECT_THROW(jobs::this_fiber::check_cancelled(), jobs::Cancelled);
    });
    fiber.request_stop();
    fiber.join();
  });
}

TEST_P(FiberCancel, IsSeenByAFiberThatRuns) {
  run([&] {
    std::atomic<bool> called{false};
    std::atomic<bool> ready{false};
    jobs::Fiber<> fiber([&](std::stop_token stop) {
      const std::stop_callback callback(stop, [&] { called = true; });
      ready = true;
      while (!stop.stop_requested()) jobs::yield();
    });
    while (!ready) jobs::yield();
    fiber.request_stop();
    fiber.join();
    EXPECT_TRUE(called);
    jobs::Fiber<> checks([] {
      for (;;) {
        jobs::this_fiber::check_cancelled();
        jobs::yield();
      }
    });
    checks.request_stop();
    EXPECT_THROW(checks.join(), jobs::Cancelled);
    jobs::this_fiber::check_cancelled();
  });
}

TEST_P(FiberCancel, WaitsUntilAShieldIsGone) {
  run([&] {
    jobs::Event inside, go, never;
    bool cleaned_up = false;
    jobs::Fiber<> fiber([&] {
      {
        const jobs::CancelShield shield;
        inside.signal();
        go.wait();
        jobs::this_fiber::sleep_for(1ms);
        cleaned_up = true;
      }
      never.wait();
    });
    inside.wait();
    fiber.request_stop();
    EXPECT_FALSE(fiber.join_for(5ms));
    go.signal();
    EXPECT_THROW(fiber.join(), jobs::Cancelled);
    EXPECT_TRUE(cleaned_up);
  });
}

TEST_P(FiberCancel, IsRequestedByTheDestructor) {
  run([&] {
    jobs::Event never;
    bool ended = false;
    {
      struct Ended {
        bool& flag;
        ~Ended() { flag = true; }
      };
      const jobs::Fiber<> fiber([&] {
        const Ended at_end{ended};
        never.wait();
      });
    }
    EXPECT_TRUE(ended);
  });
}

TEST_P(FiberCancel, ReachesAChildThatIsJoined) {
  run([&] {
    // The stop ends the parent's wait. The parent's handle stops and joins the child while the
    // stack unwinds.
    jobs::Event never;
    std::atomic<int> ended{0};
    jobs::Fiber<> parent([&] {
      struct Ended {
        std::atomic<int>& count;
        ~Ended() { ++count; }
      };
      const Ended of_parent{ended};
      jobs::Fiber<> child([&] {
        const Ended of_child{ended};
        never.wait();
      });
      child.join();
    });
    await_state(parent, FiberState::kWaiting);
    parent.request_stop();
    EXPECT_THROW(parent.join(), jobs::Cancelled);
    EXPECT_EQ(ended, 2);
  });
}

TEST_P(FiberCancel, WaitsForChildrenThatReferToTheFrame) {
  run([&] {
    std::atomic<int> ran{0};
    jobs::Fiber<> fiber([&] {
      while (!jobs::this_fiber::stop_token().stop_requested()) jobs::yield();
      jobs::Counter done;
      for (int i = 0; i < 20; ++i) jobs::spawn(done, [&] { ++ran; });
      done.wait();  // throws; the counter then waits for its jobs
    });
    fiber.request_stop();
    try {
      fiber.join();  // all jobs may have run before this wait
    } catch (const jobs::Cancelled&) {
    }
    EXPECT_EQ(ran, 20);
    jobs::Fiber<> loops([&] {
      while (!jobs::this_fiber::stop_token().stop_requested()) jobs::yield();
      jobs::parallel_for(0, 100, [&](int) { ++ran; }, jobs::Grain(1));
    });
    loops.request_stop();
    loops.join();
    EXPECT_EQ(ran, 120);
  });
}

TEST_P(FiberCancel, RacesWithGrantsWithoutLosingOne) {
  run([&] {
    std::minstd_rand random(static_cast<unsigned>(jobs::test::seed()));
    constexpr int kRounds = 200;
    for (int round = 0; round < kRounds; ++round) {
      jobs::Mutex mutex;
      jobs::Event event;
      int locked = 0;
      std::vector<jobs::Fiber<>> fibers;
      for (int i = 0; i < 4; ++i) {
        fibers.emplace_back([&] {
          const std::scoped_lock lock(mutex);
          ++locked;
          static_cast<void>(event.wait_for(20us));
        });
      }
      std::jthread stopper;
      if (round % 10 == 0)
        stopper = std::jthread([ref = FiberRef(fibers[1])] { ref.request_stop(); });
      if (random() % 2 == 0) jobs::yield();
      fibers[random() % 4].request_stop();
      if (random() % 2 == 0) event.signal();
      for (auto& fiber : fibers) {
        try {
          fiber.join();
        } catch (const jobs::Cancelled&) {
        }
      }
      if (stopper.joinable()) stopper.join();
      ASSERT_TRUE(std::unique_lock(mutex, std::try_to_lock).owns_lock()) << jobs::test::replay();
    }
  });
}

TEST_P(FiberCancel, RacesWithTheEnd) {
  run([&] {
    for (int round = 0; round < 300; ++round) {
      jobs::Fiber<> fiber([] { static_cast<void>(jobs::this_fiber::suspend_for(1us)); });
      const FiberRef ref = fiber;
      jobs::Counter done;
      for (int i = 0; i < 3; ++i) {
        jobs::spawn(done, [ref, i] {
          if (i == 0) ref.request_stop();
          if (i == 1) ref.schedule();
          if (i == 2) ref.schedule_exception(std::make_exception_ptr(1));
        });
      }
      try {
        fiber.join();
      } catch (...) {
      }
      done.wait();
    }
  });
}

TEST(FiberCancelled, IsNoUnhandledException) {
  std::atomic<int> handled{0};
  {
    jobs::Scheduler scheduler(
        {.worker_count = 1, .on_unhandled = [&](std::exception_ptr) { ++handled; }});
    scheduler.run([] {
      jobs::Fiber<> fiber([] { jobs::this_fiber::suspend(); });
      const FiberRef ref = fiber;
      fiber.detach();
      ref.request_stop();
      const jobs::Fiber<> destroyed([] { jobs::this_fiber::suspend(); });
      jobs::Fiber<> held([] {}, {.start = jobs::FiberStart::kSuspended});
      const FiberRef ref_of_held = held;
      held.detach();
      EXPECT_TRUE(ref_of_held.schedule_exception(std::make_exception_ptr(jobs::Cancelled())));
    });
  }
  EXPECT_EQ(handled, 0);
}

// --- time limits --------------------------------------------------------------------------------

class TimeLimit : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TimeLimit);

TEST_P(TimeLimit, CancelAfterThrowsFromTheWait) {
  run([&] {
    jobs::Event never;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(jobs::cancel_after(5ms, [&] { never.wait(); }), jobs::Cancelled);
    EXPECT_GE(std::chrono::steady_clock::now() - start, 5ms);
    EXPECT_EQ(jobs::cancel_after(1h, [] { return 4; }), 4);
    EXPECT_THROW(jobs::cancel_after(1ms, [] { jobs::this_fiber::sleep_for(1h); }), jobs::Cancelled);
    EXPECT_FALSE(never.wait_for(1ms)) << "the limit is gone";
    jobs::Fiber<> fiber([] { jobs::cancel_after(1ms, [] { jobs::this_fiber::suspend(); }); });
    EXPECT_THROW(fiber.join(), jobs::Cancelled);
  });
}

TEST_P(TimeLimit, MoveOnAfterGoesOnWithTheDefault) {
  run([&] {
    jobs::Event never, set;
    set.signal();
    const auto wait = [](jobs::Event& event) {
      event.wait();
      return 1;
    };
    EXPECT_EQ(jobs::move_on_after(2ms, [&] { return wait(never); }, 7), 7);
    EXPECT_EQ(jobs::move_on_after(2ms, [&] { return wait(set); }, 7), 1);
    EXPECT_FALSE(jobs::move_on_after(2ms, [&] { never.wait(); }));
    EXPECT_TRUE(jobs::move_on_after(2ms, [&] { set.wait(); }));
    EXPECT_THROW(jobs::move_on_after(1h, [] { throw std::runtime_error("of the code"); }),
                 std::runtime_error);
  });
}

TEST_P(TimeLimit, NestsAndTheNearestCounts) {
  run([&] {
    jobs::Event never;
    bool inner_returned = false;
    const bool outer = jobs::move_on_after(3ms, [&] {
      jobs::move_on_after(1h, [&] { never.wait(); });
      inner_returned = true;
    });
    EXPECT_FALSE(outer);
    EXPECT_FALSE(inner_returned) << "the inner scope took what was meant for the outer one";
    EXPECT_TRUE(jobs::move_on_after(
        1h, [&] { EXPECT_FALSE(jobs::move_on_after(1ms, [&] { never.wait(); })); }));
    EXPECT_FALSE(jobs::move_on_after(1ms, [&] {
      {
        const jobs::CancelShield shield;
        jobs::this_fiber::sleep_for(3ms);
      }
      jobs::this_fiber::check_cancelled();
    }));
  });
}

TEST_P(TimeLimit, LeavesShorterWaitsAlone) {
  run([&] {
    jobs::Event never;
    jobs::Mutex mutex;
    EXPECT_TRUE(jobs::move_on_after(1h, [&] {
      EXPECT_FALSE(never.wait_for(1ms));
      EXPECT_FALSE(never.wait_for(0ms));
      const std::scoped_lock lock(mutex);
    }));
    EXPECT_FALSE(jobs::move_on_after(0ms, [&] { jobs::this_fiber::check_cancelled(); }));
  });
}

}  // namespace
