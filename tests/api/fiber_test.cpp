// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Fiber<T>: join, stop, detach, and the state that each fiber has for itself.
#include "jobs/fiber.hpp"

#include <gtest/gtest.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <concepts>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/cancel.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/mutex.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using namespace std::chrono_literals;

class Fiber : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Fiber);

TEST_P(Fiber, ReturnsItsResultToTheJoiner) {
  run([&] {
    jobs::Fiber<int> number([] { return 42; });
    jobs::Fiber<std::unique_ptr<std::string>> text(
        [] { return std::make_unique<std::string>("text"); });
    jobs::Fiber<> nothing([] {});
    EXPECT_EQ(number.join(), 42);
    EXPECT_EQ(*text.join(), "text");
    nothing.join();
    EXPECT_FALSE(number.joinable());
  });
}

TEST_P(Fiber, TakesTheTypeOfItsResultFromTheFunction) {
  run([&] {
    int variable = 1;
    jobs::Fiber number([] { return 42; });
    jobs::Fiber nothing([] {});
    jobs::Fiber stoppable([](std::stop_token stop) { return stop.stop_requested(); });
    jobs::Fiber copy([&]() -> const int& { return variable; }, {.name = "copy"});
    jobs::Fiber moved(std::move(number));  // takes the handle over; it starts no fiber
    static_assert(std::same_as<decltype(nothing), jobs::Fiber<void>>);
    static_assert(std::same_as<decltype(stoppable), jobs::Fiber<bool>>);
    static_assert(std::same_as<decltype(copy), jobs::Fiber<int>>);
    static_assert(std::same_as<decltype(moved), jobs::Fiber<int>>);
    EXPECT_EQ(moved.join(), 42);
    nothing.join();
    EXPECT_FALSE(stoppable.join());
    EXPECT_EQ(copy.name(), "copy");
    EXPECT_EQ(copy.join(), 1);
  });
}

TEST_P(Fiber, OfVoidDropsTheResult) {
  run([&] {
    int calls = 0;
    jobs::Fiber<> number([&]() noexcept { return ++calls; });
    number.join();
    jobs::Fiber<> stoppable([&](std::stop_token) { return std::make_unique<int>(++calls); });
    stoppable.join();
    EXPECT_EQ(calls, 2);
  });
}

TEST_P(Fiber, IsWhatAsyncReturns) {
  run([&] {
    jobs::Event go;
    auto number = jobs::async([&] {
      go.wait();
      return 42;
    });
    auto text = jobs::async([](std::stop_token) { return std::make_unique<int>(7); },
                            {.name = "text", .start = jobs::FiberStart::kSuspended});
    auto failing = jobs::async([]() -> int { throw std::runtime_error("in the fiber"); });
    static_assert(std::same_as<decltype(number), jobs::Fiber<int>>);
    static_assert(std::same_as<decltype(text), jobs::Fiber<std::unique_ptr<int>>>);
    EXPECT_EQ(text.name(), "text");
    EXPECT_FALSE(text.join_for(0ms));
    EXPECT_TRUE(text.schedule());
    go.signal();
    EXPECT_EQ(number.join(), 42);
    EXPECT_EQ(*text.join(), 7);
    EXPECT_THROW(failing.join(), std::runtime_error);
  });
}

TEST_P(Fiber, ThrowsItsExceptionAtTheJoiner) {
  run([&] {
    jobs::Fiber<int> fiber([]() -> int { throw std::runtime_error("in the fiber"); });
    try {
      fiber.join();
      ADD_FAILURE() << "expected an exception";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "in the fiber");
    }
    EXPECT_FALSE(fiber.joinable());
  });
}

TEST_P(Fiber, CanBeJoinedOnce) {
  run([&] {
    jobs::Fiber<> fiber([] {});
    fiber.join();
    EXPECT_THROW(fiber.join(), jobs::Error);
    EXPECT_THROW(static_cast<void>(fiber.join_for(1ms)), jobs::Error);
    EXPECT_THROW(fiber.detach(), jobs::Error);
    jobs::Fiber<> empty;
    EXPECT_FALSE(empty.joinable());
    EXPECT_THROW(empty.join(), jobs::Error);
    EXPECT_EQ(empty.id(), jobs::FiberId{});
  });
}

TEST_P(Fiber, CannotJoinItself) {
  run([&] {
    jobs::Event started;
    jobs::Fiber<>* handle = nullptr;
    bool refused = false;
    jobs::Fiber<> fiber([&] {
      started.wait();
      try {
        handle->join();
      } catch (const jobs::Error& error) {
        refused = error.code() == jobs::ErrorCode::kBadArgument;
      }
    });
    handle = &fiber;
    started.signal();
    while (!fiber.join_for(10s)) {
    }
    fiber.join();
    EXPECT_TRUE(refused);
  });
}

TEST_P(Fiber, ReportsWhetherItEndedInTime) {
  run([&] {
    jobs::Event finish;
    jobs::Fiber<int> fiber([&finish] {
      finish.wait();
      return 5;
    });
    const auto start = std::chrono::steady_clock::now();
    EXPECT_FALSE(fiber.join_for(10ms));
    EXPECT_GE(std::chrono::steady_clock::now() - start, 10ms);
    EXPECT_FALSE(fiber.join_for(0ms));
    finish.signal();
    EXPECT_TRUE(fiber.join_for(60s));
    EXPECT_EQ(fiber.join(), 5);
  });
}

TEST_P(Fiber, SeesTheStopThatWasRequested) {
  run([&] {
    jobs::Fiber<int> fiber([](std::stop_token stop) {
      int turns = 0;
      while (!stop.stop_requested()) {
        ++turns;
        jobs::yield();
      }
      EXPECT_TRUE(jobs::this_fiber::stop_token().stop_requested());
      return turns;
    });
    EXPECT_TRUE(fiber.request_stop());
    EXPECT_FALSE(fiber.request_stop());
    EXPECT_GE(fiber.join(), 0);
  });
}

TEST_P(Fiber, IsStoppedAndJoinedWithoutAnException) {
  run([&] {
    jobs::Event never;
    jobs::Event started;
    jobs::Fiber<int> waiting([&] {
      started.signal();
      never.wait();
      return 1;
    });
    jobs::Fiber<> nothing([&] { never.wait(); });
    jobs::Fiber<int> finished([] { return 2; });
    jobs::Fiber<int> asking([](std::stop_token stop) {
      while (!stop.stop_requested()) jobs::yield();
      return 3;
    });
    jobs::Fiber<> quick([] {});
    jobs::Fiber<int> failing([]() -> int { throw std::runtime_error("in the fiber"); });
    started.wait();
    EXPECT_EQ(waiting.stop_and_join(), std::nullopt);
    EXPECT_FALSE(waiting.joinable());
    EXPECT_FALSE(nothing.stop_and_join());
    EXPECT_EQ(finished.stop_and_join(), 2);
    EXPECT_EQ(asking.stop_and_join(), 3);
    EXPECT_TRUE(quick.stop_and_join());
    EXPECT_THROW(failing.stop_and_join(), std::runtime_error);
    EXPECT_THROW(quick.stop_and_join(), jobs::Error) << "there is nothing to join";
  });
}

TEST_P(Fiber, CanBeJoinedAfterTheStopOfItsJoiner) {
  run([&] {
    jobs::Event go;
    jobs::Event joining;
    jobs::Fiber<int> slow([&] {
      const jobs::CancelShield shield;
      go.wait();
      return 4;
    });
    jobs::Fiber<> joiner([&] {
      joining.signal();
      EXPECT_THROW(slow.stop_and_join(), jobs::Cancelled);
    });
    joining.wait();
    joiner.request_stop();
    joiner.join();
    go.signal();
    EXPECT_EQ(slow.join(), 4);
  });
}

TEST_P(Fiber, IsStoppedAndJoinedByItsDestructor) {
  run([&] {
    bool ended = false;
    {
      const jobs::Fiber<> fiber([&ended](std::stop_token stop) {
        while (!stop.stop_requested()) jobs::yield();
        ended = true;
      });
    }
    EXPECT_TRUE(ended);
  });
}

TEST_P(Fiber, IsStoppedAndJoinedWhenAnotherIsAssigned) {
  run([&] {
    bool ended = false;
    jobs::Fiber<> fiber([&ended](std::stop_token stop) {
      while (!stop.stop_requested()) jobs::yield();
      ended = true;
    });
    jobs::Fiber<> other([] {});
    const jobs::FiberId id = other.id();
    fiber = std::move(other);
    EXPECT_TRUE(ended);
    EXPECT_EQ(fiber.id(), id);
    EXPECT_FALSE(other.joinable());  // NOLINT(bugprone-use-after-move): checks that it is empty
    fiber.join();
  });
}

TEST_P(Fiber, RunsOnWhenItIsDetached) {
  static std::atomic<int> ended;
  ended = 0;
  run([&] {
    jobs::Event go;
    for (int i = 0; i < 10; ++i) {
      jobs::Fiber<> fiber([&go] {
        go.wait();
        ++ended;
      });
      fiber.detach();
      EXPECT_FALSE(fiber.joinable());
    }
    go.signal();
    while (ended < 10) jobs::yield();
  });
}

TEST_P(Fiber, DestroysWhatItCapturedBeforeTheJoinReturns) {
  run([&] {
    const auto token = std::make_shared<int>(0);
    jobs::Fiber<> fiber([token] {});
    fiber.join();
    EXPECT_EQ(token.use_count(), 1);
  });
}

TEST_P(Fiber, HasAnIdAndANameOfItsOwn) {
  run([&] {
    std::set<jobs::FiberId> ids;
    for (int i = 0; i < 20; ++i) {
      jobs::Fiber<jobs::FiberId> fiber([] { return jobs::this_fiber::id(); },
                                       {.name = "fiber " + std::to_string(i)});
      const jobs::FiberId id = fiber.id();
      EXPECT_EQ(fiber.name(), "fiber " + std::to_string(i));
      EXPECT_EQ(fiber.join(), id);
      ids.insert(id);
    }
    EXPECT_EQ(ids.size(), 20u);
    EXPECT_EQ(ids.count(jobs::FiberId{}), 0u);
  });
}

TEST_P(Fiber, SharesItsIdWithNoJob) {
  run([&] {
    jobs::Counter done;
    std::vector<jobs::FiberId> of_jobs(50);
    for (auto& id : of_jobs) {
      jobs::spawn(done, [&id] { id = jobs::this_fiber::id(); });
    }
    done.wait();
    for (int i = 0; i < 50; ++i) {
      jobs::Fiber<> fiber([] {});
      EXPECT_EQ(std::count(of_jobs.begin(), of_jobs.end(), fiber.id()), 0);
      fiber.join();
    }
  });
}

TEST_P(Fiber, NeverLeavesItsThread) {
  run([&] {
    std::vector<jobs::Fiber<bool>> fibers;
    for (int i = 0; i < 30; ++i) {
      fibers.emplace_back([] {
        const auto home = std::this_thread::get_id();
        bool stayed = true;
        for (int j = 0; j < 30; ++j) {
          jobs::yield();
          jobs::Counter done;
          jobs::spawn(done, [] {});
          done.wait();
          stayed = stayed && std::this_thread::get_id() == home;
        }
        return stayed;
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
  });
}

TEST_P(Fiber, SleepsAtLeastAsLongAsItWasTold) {
  run([&] {
    std::vector<jobs::Fiber<bool>> fibers;
    for (int i = 0; i < 20; ++i) {
      fibers.emplace_back([i] {
        const auto start = std::chrono::steady_clock::now();
        jobs::this_fiber::sleep_for(std::chrono::milliseconds(i));
        return std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(i);
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
    jobs::this_fiber::sleep_for(-1s);
    jobs::this_fiber::sleep_for(0s);
  });
}

TEST_P(Fiber, HasAFloatingPointEnvironmentOfItsOwn) {
  run([&] {
    ASSERT_EQ(std::fegetround(), FE_TONEAREST);
    std::vector<jobs::Fiber<bool>> fibers;
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
      fibers.emplace_back([mode] {
        const bool fresh = std::fegetround() == FE_TONEAREST;
        std::fesetround(mode);
        bool kept = true;
        for (int i = 0; i < 20; ++i) {
          jobs::yield();
          kept = kept && std::fegetround() == mode;
        }
        return fresh && kept;
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
    jobs::Counter done;
    for (int i = 0; i < 20; ++i)
      jobs::spawn(done, [] { EXPECT_EQ(std::fegetround(), FE_TONEAREST); });
    done.wait();
  });
}

TEST_P(Fiber, KeepsTheRoundingModeOfAJobToThatJob) {
  run([&] {
    for (int i = 0; i < 20; ++i) {
      jobs::Counter done;
      jobs::spawn(done, [] { std::fesetround(FE_UPWARD); });
      done.wait();
      jobs::spawn(done, [] { EXPECT_EQ(std::fegetround(), FE_TONEAREST); });
      done.wait();
    }
  });
}

#if defined(__x86_64__)
TEST_P(Fiber, KeepsTheSseModesOfAJobToThatJob) {
  constexpr unsigned kStatus = 0x3f;
  constexpr unsigned kDefault = 0x1f80;
  run([&] {
    for (const unsigned mode : {_MM_FLUSH_ZERO_ON, _MM_DENORMALS_ZERO_ON, _MM_ROUND_DOWN,
                                _MM_ROUND_UP, _MM_ROUND_TOWARD_ZERO}) {
      jobs::Counter done;
      // Two at once: the second may run on the same worker without an idle moment in between.
      jobs::spawn(done, [=] { _mm_setcsr(_mm_getcsr() | mode); });
      for (int i = 0; i < 8; ++i)
        jobs::spawn(done, [=] { EXPECT_EQ(_mm_getcsr() & ~kStatus, kDefault) << mode; });
      jobs::spawn(done, [=] { _mm_setcsr(_mm_getcsr() | mode); });
      done.wait();
    }
  });
}
#endif

TEST_P(Fiber, HasAnErrnoOfItsOwn) {
  run([&] {
    std::vector<jobs::Fiber<bool>> fibers;
    for (int i = 1; i < 20; ++i) {
      fibers.emplace_back([i] {
        const bool fresh = errno == 0;
        errno = i;
        for (int j = 0; j < 10; ++j) jobs::yield();
        return fresh && errno == i;
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
  });
}

TEST_P(Fiber, KeepsExceptionsApartWhenItWaitsInsideAHandler) {
  run([&] {
    std::vector<jobs::Fiber<bool>> fibers;
    for (int i = 0; i < 30; ++i) {
      fibers.emplace_back([i] {
        try {
          throw i;
        } catch (const int caught) {
          for (int j = 0; j < 10; ++j) jobs::yield();  // other fibers throw and catch meanwhile
          try {
            throw;
          } catch (const int again) {
            return caught == i && again == i && std::uncaught_exceptions() == 0;
          }
        }
        return false;
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
  });
}

TEST_P(Fiber, KeepsExceptionsApartWhenItWaitsInADestructorDuringUnwinding) {
  struct Yields {
    bool& sane;
    ~Yields() {
      for (int i = 0; i < 10; ++i) {
        jobs::yield();
        sane = sane && std::uncaught_exceptions() == 1;
      }
    }
  };
  run([&] {
    std::vector<jobs::Fiber<bool>> fibers;
    for (int i = 0; i < 30; ++i) {
      fibers.emplace_back([i] {
        bool sane = std::uncaught_exceptions() == 0;
        try {
          const Yields yields{sane};
          throw std::runtime_error(std::to_string(i));
        } catch (const std::runtime_error& error) {
          return sane && error.what() == std::to_string(i);
        }
      });
    }
    for (auto& fiber : fibers) EXPECT_TRUE(fiber.join());
  });
}

TEST(FiberException, GoesToTheHandlerIfItIsNotJoined) {
  std::atomic<int> handled{0};
  {
    jobs::Scheduler scheduler(
        {.worker_count = 2, .on_unhandled = [&handled](std::exception_ptr) { ++handled; }});
    scheduler.run([] {
      {
        const jobs::Fiber<> destroyed([]() { throw 1; });
      }
      jobs::Fiber<> detached([]() { throw 2; });
      detached.detach();
      jobs::Fiber<> joined([]() { throw 3; });
      EXPECT_THROW(joined.join(), int);
    });
  }
  EXPECT_EQ(handled, 2);
}

TEST(FiberException, GoesToTheHandlerOfItsSchedulerFromAnyThread) {
  std::atomic<int> handled{0};
  std::atomic<int> handled_elsewhere{0};
  std::vector<jobs::Fiber<>> late;
  {
    jobs::Scheduler scheduler(
        {.worker_count = 2, .on_unhandled = [&handled](std::exception_ptr) { ++handled; }});
    jobs::Scheduler other(
        {.worker_count = 1, .on_unhandled = [&](std::exception_ptr) { ++handled_elsewhere; }});
    const auto failed = [&] {
      return scheduler.run([] {
        jobs::Fiber<> fiber([] { throw 1; });
        while (!fiber.join_for(1h)) {
        }
        return fiber;
      });
    };
    failed().detach();
    {
      const jobs::Fiber<> destroyed = failed();
    }
    EXPECT_EQ(handled, 2) << "on this external thread";
    {
      jobs::Fiber<> fiber = failed();
      other.run([&] { fiber.detach(); });
    }
    EXPECT_EQ(handled, 3) << "on a worker of another scheduler";
    late.push_back(failed());
    late.push_back(failed());
  }
  EXPECT_THROW(late[0].join(), int);
  EXPECT_EQ(handled, 3);
  late[1].detach();
  EXPECT_EQ(handled, 4) << "after the end of the scheduler";
  EXPECT_EQ(handled_elsewhere, 0);
}

TEST(FiberLimit, ThrowsAtTheJoinIfThereIsNoStack) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_fibers = 8});
  scheduler.run([] {
    jobs::Event open;
    std::vector<jobs::Fiber<>> fibers;
    for (int i = 0; i < 20; ++i) fibers.emplace_back([&open] { open.wait(); });
    for (int i = 0; i < 40; ++i) jobs::yield();  // by then every candidate has been tried
    open.signal();
    int refused = 0;
    for (auto& fiber : fibers) {
      try {
        fiber.join();
      } catch (const jobs::Error& error) {
        EXPECT_EQ(error.code(), jobs::ErrorCode::kNoStack);
        ++refused;
      }
    }
    EXPECT_GE(refused, 1);
    EXPECT_LE(refused, 19);
  });
}

}  // namespace
