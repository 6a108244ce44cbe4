// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork_join(): results, exceptions, nesting.
#include "jobs/fork_join.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "jobs/fiber.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class ForkJoin : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(ForkJoin);

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

TEST_P(ForkJoin, ReturnsTheResultsInTheOrderOfTheArguments) {
  run([&] {
    const auto [a, b, c, d] =
        jobs::fork_join([] { return 1; }, [] { return 2.5; }, [] { return std::string("three"); },
                        [] { return 'd'; });
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 2.5);
    EXPECT_EQ(c, "three");
    EXPECT_EQ(d, 'd');
  });
}

TEST_P(ForkJoin, ReturnsMonostateForVoid) {
  run([&] {
    int left = 0;
    const auto result = jobs::fork_join([&left] { left = 1; }, [] { return 2; }, [] {});
    static_assert(
        std::is_same_v<decltype(result), const std::tuple<std::monostate, int, std::monostate>>);
    EXPECT_EQ(left, 1);
    EXPECT_EQ(std::get<1>(result), 2);
  });
}

TEST_P(ForkJoin, ReturnsReferencesAndWhatCannotBeCopied) {
  run([&] {
    int here = 0, there = 0;
    auto [a, b, c] =
        jobs::fork_join([&]() -> int& { return here; }, [&]() -> int& { return there; },
                        [] { return std::make_unique<int>(9); });
    a = 1;
    b = 2;
    EXPECT_EQ(here, 1);
    EXPECT_EQ(there, 2);
    EXPECT_EQ(*c, 9);
  });
}

TEST_P(ForkJoin, RunsEachChildOnceHoweverDeepTheTree) {
  run([&] { EXPECT_EQ(fibonacci(20), 6765); });
}

TEST_P(ForkJoin, CallsTheArgumentsThemselves) {
  struct Counting {
    int calls = 0;
    int operator()() { return ++calls; }
  };
  run([&] {
    Counting left;
    std::array<char, 200> large{};
    auto right = [large, calls = 0]() mutable { return ++calls + large[0]; };
    const auto [a, b] = jobs::fork_join(left, right);
    EXPECT_EQ(a, 1);
    EXPECT_EQ(b, 1);
    EXPECT_EQ(left.calls, 1);
  });
}

TEST_P(ForkJoin, WaitsForChildrenThatWait) {
  run([&] {
    for (int round = 0; round < 50; ++round) {
      jobs::Event first;
      jobs::Counter helper;
      jobs::spawn(helper, [&first] { first.signal(); });
      const auto [a, b] = jobs::fork_join(
          [&] {
            first.wait();
            return 1;
          },
          [&] {
            first.wait();
            return 2;
          });
      ASSERT_EQ(a + b, 3);
      helper.wait();
    }
  });
}

// Throws the index from each child with a set bit. Checks that all children have ended and that the
// lowest index is thrown.
template <std::size_t... kIndices>
void expect_lowest(unsigned throwing, std::index_sequence<kIndices...>) {
  std::atomic<int> ended{0};
  const auto child = [&](std::size_t index) {
    return [&ended, index, throwing] {
      struct Ending {
        std::atomic<int>& count;
        ~Ending() { ++count; }
      } ending{ended};
      if ((throwing >> index) & 1) throw std::runtime_error(std::to_string(index));
      return static_cast<int>(index);
    };
  };
  try {
    jobs::fork_join(child(kIndices)...);
    EXPECT_EQ(throwing, 0u);
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), std::to_string(std::countr_zero(throwing)));
  }
  EXPECT_EQ(ended, sizeof...(kIndices)) << "for the set " << throwing;
}

TEST_P(ForkJoin, RethrowsTheExceptionOfTheLowestIndexWhenAllHaveEnded) {
  run([&] {
    for (int round = 0; round < 20; ++round) {
      for (unsigned throwing = 0; throwing < 16; ++throwing)
        expect_lowest(throwing, std::make_index_sequence<4>());
      for (unsigned throwing = 0; throwing < 4; ++throwing)
        expect_lowest(throwing, std::make_index_sequence<2>());
    }
  });
}

TEST_P(ForkJoin, DestroysTheResultsOfChildrenWhoseSiblingThrew) {
  auto token = std::make_shared<int>(0);
  run([&] {
    for (int round = 0; round < 200; ++round) {
      EXPECT_THROW(
          jobs::fork_join([token] { return token; }, [token]() -> std::shared_ptr<int> { throw 1; },
                          [token] { return token; }),
          int);
    }
  });
  EXPECT_EQ(token.use_count(), 1);
}

TEST_P(ForkJoin, WorksInsideAHandlerAndLeavesItsExceptionAlone) {
  run([&] {
    try {
      throw std::runtime_error("outer");
    } catch (...) {
      EXPECT_THROW(
          jobs::fork_join([] { fibonacci(10); }, []() { throw std::logic_error("inner"); }),
          std::logic_error);
      EXPECT_EQ(fibonacci(12), 144);
      try {
        throw;
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "outer");
      }
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
  });
}

TEST_P(ForkJoin, WorksInADestructorDuringUnwinding) {
  struct Forks {
    int& result;
    ~Forks() {
      EXPECT_EQ(std::uncaught_exceptions(), 1);
      result = fibonacci(12);
      EXPECT_EQ(std::uncaught_exceptions(), 1);
    }
  };
  run([&] {
    int result = 0;
    try {
      const Forks forks{result};
      throw std::runtime_error("unwinding");
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "unwinding");
    }
    EXPECT_EQ(result, 144);
  });
}

TEST_P(ForkJoin, WorksInsideAFiber) {
  run([&] {
    jobs::Fiber<int> fiber([] { return fibonacci(15); });
    EXPECT_EQ(fiber.join(), 610);
  });
}

TEST_P(ForkJoin, KeepsInterleavedFibersApart) {
  // Fibers of one worker fork, wait in the middle and join, so that the deque holds children of
  // several fibers.
  run([&] {
    jobs::Counter done;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 20; ++i) {
      jobs::spawn(done, [&wrong, i] {
        for (int round = 0; round < 20; ++round) {
          const auto [a, b, c] = jobs::fork_join(
              [i] {
                jobs::yield();
                return i;
              },
              [i] {
                jobs::yield();
                return i + 1;
              },
              [i] { return i + 2; });
          if (a != i || b != i + 1 || c != i + 2) ++wrong;
        }
      });
    }
    done.wait();
    EXPECT_EQ(wrong, 0);
  });
}

// At the fork no worker searches, so no thief has requested the child. Later the parent computes
// and does not check for requests.
TEST(ForkJoinOfTwoWorkers, GivesAChildAwayWhileItsParentComputes) {
  jobs::Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    std::atomic<bool> other_runs{false};
    std::atomic<bool> forked{false};
    std::atomic<bool> child_ran{false};
    const auto await = [](const std::atomic<bool>& flag) {
      while (!flag.load(std::memory_order_acquire)) std::this_thread::yield();
    };
    jobs::fork_join(
        [&] {
          await(other_runs);
          // Ends the effect of the previous steals.
          for (int i = 0; i < 1000; ++i) jobs::fork_join([] {}, [] {});
          jobs::fork_join(
              [&] {
                forked.store(true, std::memory_order_release);
                await(child_ran);
              },
              [&] { child_ran.store(true, std::memory_order_release); });
        },
        [&] {
          other_runs.store(true, std::memory_order_release);
          await(forked);
        });
    EXPECT_TRUE(child_ran.load(std::memory_order_relaxed));
  });
}

TEST_P(ForkJoin, RunsChildrenAtTheSameTimeWhereThereAreWorkers) {
  if (is_serial()) GTEST_SKIP() << "there is one worker";
  run([&] {
    std::atomic<int> arrived{0};
    const auto meet = [&arrived] {
      ++arrived;
      const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (arrived < 2 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
      return arrived.load();
    };
    const auto [a, b] = jobs::fork_join(meet, meet);
    EXPECT_EQ(a, 2);
    EXPECT_EQ(b, 2);
  });
}

}  // namespace
