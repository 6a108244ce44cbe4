// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Fibers with a priority: the order of their starts and of their wake-ups, and the starvation of
// none.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::Fiber;
using jobs::FiberStart;
using jobs::Priority;

constexpr std::array kAll = {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                             Priority::kLow, Priority::kBackground};
constexpr std::size_t kSmallStack = std::size_t{64} << 10;

char digit(Priority priority) { return static_cast<char>('0' + static_cast<int>(priority)); }

class FiberPriorities : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(FiberPriorities);

TEST_P(FiberPriorities, OrderTheStarts) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    for (const std::size_t stack_size : {std::size_t{0}, kSmallStack}) {
      std::string order;
      std::vector<Fiber<>> fibers;
      for (auto at = kAll.rbegin(); at != kAll.rend(); ++at) {
        fibers.emplace_back([&order, c = digit(*at)] { order += c; },
                            jobs::FiberOptions{.stack_size = stack_size, .priority = *at});
      }
      for (Fiber<>& fiber : fibers) fiber.join();
      EXPECT_EQ(order, "01234");
    }
  });
}

// Fibers of a lower priority wake up like normal ones, in FIFO order.
TEST_P(FiberPriorities, OrderTheWakeUps) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    for (const std::size_t stack_size : {std::size_t{0}, kSmallStack}) {
      std::string order;
      jobs::Event begin;
      std::vector<Fiber<>> fibers;
      for (const char c : std::string("2431013204")) {
        fibers.emplace_back(
            [&order, &begin, c] {
              begin.wait();
              order += c;
            },
            jobs::FiberOptions{.stack_size = stack_size,
                               .start = FiberStart::kNow,
                               .priority = static_cast<Priority>(c - '0')});
      }
      begin.signal();
      for (Fiber<>& fiber : fibers) fiber.join();
      EXPECT_EQ(order, "0011243324");
    }
  });
}

// The fiber of an ended critical Fiber serves jobs and other Fibers.
TEST_P(FiberPriorities, EndWithTheFiber) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    for (int i = 0; i < 4; ++i)
      Fiber<>([] { jobs::yield(); }, {.priority = Priority::kCritical}).join();
    std::string order;
    jobs::Event begin;
    std::vector<Fiber<>> fibers;
    for (const char c : std::string("abcd")) {
      fibers.emplace_back(
          [&order, &begin, c] {
            begin.wait();
            order += c;
          },
          jobs::FiberOptions{.start = FiberStart::kNow});
    }
    begin.signal();
    for (Fiber<>& fiber : fibers) fiber.join();
    EXPECT_EQ(order, "abcd");
  });
}

// On each worker, two fibers of each priority wake each other without an end. None of them starves,
// and neither does a normal fiber that is always ready.
TEST_P(FiberPriorities, StarveNoReadyFiber) {
  constexpr int kTurns = 200;
  struct Pair {
    jobs::Semaphore first{1};
    jobs::Semaphore second{0};
    std::atomic<int> turns{0};
  };
  run([&] {
    const unsigned workers = jobs::worker_count();
    std::atomic<bool> enough{false};
    std::vector<std::unique_ptr<Pair>> pairs;
    std::atomic<int> yields{0};
    std::vector<std::vector<Fiber<>>> fibers(workers);
    for (unsigned w = 0; w < workers; ++w) {
      std::array<Pair*, kAll.size()> mine{};
      for (Pair*& pair : mine) pair = pairs.emplace_back(std::make_unique<Pair>()).get();
      jobs::Counter started;
      jobs::spawn(started,
                  [&, w] {
                    for (const Priority priority : kAll) {
                      Pair& pair = *mine.at(static_cast<std::size_t>(priority));
                      for (const bool is_first : {true, false}) {
                        fibers[w].emplace_back(
                            [&pair, &enough, is_first] {
                              jobs::Semaphore& own = is_first ? pair.first : pair.second;
                              jobs::Semaphore& other = is_first ? pair.second : pair.first;
                              while (!enough) {
                                own.acquire();
                                ++pair.turns;
                                other.release();
                              }
                            },
                            jobs::FiberOptions{.start = FiberStart::kNow, .priority = priority});
                      }
                    }
                    fibers[w].emplace_back(
                        [&] {
                          while (!enough) {
                            jobs::yield();
                            ++yields;
                          }
                        },
                        jobs::FiberOptions{.start = FiberStart::kNow});
                  },
                  {.on = jobs::worker(w)});
      started.wait();
    }
    const auto all_have_turns = [&] {
      if (yields < kTurns) return false;
      for (const auto& pair : pairs) {
        if (pair->turns < kTurns) return false;
      }
      return true;
    };
    while (!all_have_turns()) jobs::this_fiber::sleep_for(std::chrono::milliseconds(1));
    enough = true;
    for (auto& pair : pairs) {
      pair->first.release();
      pair->second.release();
    }
    for (auto& of_worker : fibers) {
      for (Fiber<>& fiber : of_worker) fiber.join();
    }
  });
}

TEST_P(FiberPriorities, GoWithAllOptions) {
  run([] {
    for (const Priority priority : kAll) {
      for (const FiberStart start :
           {FiberStart::kLater, FiberStart::kNow, FiberStart::kSuspended}) {
        for (const std::size_t stack_size : {std::size_t{0}, kSmallStack}) {
          for (const bool daemon : {false, true}) {
            std::vector<Fiber<int>> fibers;
            for (int i = 0; i < 8; ++i) {
              fibers.emplace_back(
                  [i] {
                    jobs::yield();
                    return i;
                  },
                  jobs::FiberOptions{.name = "of a priority",
                                     .stack_size = stack_size,
                                     .start = start,
                                     .daemon = daemon,
                                     .priority = priority});
            }
            for (int i = 0; i < 8; ++i) {
              Fiber<int>& fiber = fibers[static_cast<std::size_t>(i)];
              if (start == FiberStart::kSuspended) {
                EXPECT_TRUE(fiber.schedule());
              }
              EXPECT_EQ(fiber.join(), i);
            }
          }
        }
      }
    }
  });
}

TEST_P(FiberPriorities, RefuseOtherValues) {
  run([] {
    for (const FiberStart start : {FiberStart::kLater, FiberStart::kNow, FiberStart::kSuspended}) {
      EXPECT_EQ(jobs::test::code_of([&] {
                  Fiber<>([] { ADD_FAILURE() << "it must not run"; },
                          {.start = start, .priority = static_cast<Priority>(5)})
                      .join();
                }),
                jobs::ErrorCode::kBadArgument);
    }
  });
}

}  // namespace
