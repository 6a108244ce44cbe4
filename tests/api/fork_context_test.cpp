// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork_join() with a context: results, exceptions, nesting; misuse in builds that check for it.
#include "jobs/fork_context.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "jobs/fork_join.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::ForkContext;

class ForkContexts : public jobs::test::WithWorkers {
 protected:
  template <class F>
  auto run_with_context(F body) {
    return run([&] { return jobs::with_fork_context(body); });
  }
};
JOBS_TEST_IN_ALL_PLACES(ForkContexts);

int fibonacci(ForkContext context, int n) {
  if (n < 2) return n;
  const auto [a, b] = jobs::fork_join(
      context, [n](ForkContext here) { return fibonacci(here, n - 1); },
      [n](ForkContext here) { return fibonacci(here, n - 2); });
  return a + b;
}

int mixed(ForkContext context, int n) {
  if (n < 2) return n;
  const auto [a, b] = n % 2 == 0
                          ? jobs::fork_join(
                                context, [n](ForkContext here) { return mixed(here, n - 1); },
                                [n](ForkContext here) { return mixed(here, n - 2); })
                          : jobs::fork_join(
                                [n] {
                                  return jobs::with_fork_context(
                                      [n](ForkContext here) { return mixed(here, n - 1); });
                                },
                                [n] {
                                  return jobs::with_fork_context(
                                      [n](ForkContext here) { return mixed(here, n - 2); });
                                });
  return a + b;
}

TEST_P(ForkContexts, RunEachChildOnceHoweverDeepTheTree) {
  EXPECT_EQ(run_with_context([](ForkContext context) { return fibonacci(context, 20); }), 6765);
}

TEST_P(ForkContexts, GoTogetherWithForksThatHaveNone) {
  EXPECT_EQ(run_with_context([](ForkContext context) { return mixed(context, 18); }), 2584);
}

TEST_P(ForkContexts, ReturnTheResultsInTheOrderOfTheArguments) {
  run_with_context([](ForkContext context) {
    int here = 0;
    auto result = jobs::fork_join(
        context, [](ForkContext) { return std::make_unique<int>(9); }, [](ForkContext) {},
        [&here](ForkContext) -> int& { return here; },
        [](ForkContext) { return std::string("four"); });
    static_assert(
        std::is_same_v<decltype(result),
                       std::tuple<std::unique_ptr<int>, std::monostate, int&, std::string>>);
    EXPECT_EQ(*std::get<0>(result), 9);
    EXPECT_EQ(&std::get<2>(result), &here);
    EXPECT_EQ(std::get<3>(result), "four");
  });
}

TEST_P(ForkContexts, AreThoseOfTheWorkerThatRunsTheChild) {
  run_with_context([](ForkContext context) {
    const auto is_here = [](ForkContext given) {
      return &given.worker_context() == jobs::detail::this_context();
    };
    for (int round = 0; round < 200; ++round) {
      const auto [a, b, c] = jobs::fork_join(context, is_here, is_here, is_here);
      ASSERT_TRUE(a && b && c);
    }
  });
}

TEST_P(ForkContexts, CallLargeClosuresAndThoseWithAState) {
  run_with_context([](ForkContext context) {
    std::array<char, 200> large{};
    auto right = [large, calls = 0](ForkContext) mutable { return ++calls + large[0]; };
    auto left = [text = std::string("left")](ForkContext) mutable { return std::move(text); };
    const auto [a, b] = jobs::fork_join(context, left, right);
    EXPECT_EQ(a, "left");
    EXPECT_EQ(b, 1);
  });
}

TEST_P(ForkContexts, WaitForChildrenThatWait) {
  run_with_context([](ForkContext context) {
    for (int round = 0; round < 50; ++round) {
      jobs::Event first;
      jobs::Counter helper;
      jobs::spawn(helper, [&first] { first.signal(); });
      const auto waiting = [&first](ForkContext) {
        first.wait();
        return 1;
      };
      const auto [a, b] = jobs::fork_join(context, waiting, waiting);
      ASSERT_EQ(a + b, 2);
      helper.wait();
    }
  });
}

// Throws the index from each child with a set bit. Checks that all children have ended and that the
// lowest index is thrown.
template <std::size_t... kIndices>
void expect_lowest(ForkContext context, unsigned throwing, std::index_sequence<kIndices...>) {
  std::atomic<int> ended{0};
  const auto child = [&](std::size_t index) {
    return [&ended, index, throwing](ForkContext) {
      ++ended;
      if ((throwing >> index) & 1) throw std::runtime_error(std::to_string(index));
      return std::make_unique<std::size_t>(index);
    };
  };
  try {
    jobs::fork_join(context, child(kIndices)...);
    EXPECT_EQ(throwing, 0u);
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), std::to_string(std::countr_zero(throwing)));
  }
  EXPECT_EQ(ended, sizeof...(kIndices)) << "for the set " << throwing;
}

TEST_P(ForkContexts, RethrowTheExceptionOfTheLowestIndexWhenAllHaveEnded) {
  run_with_context([](ForkContext context) {
    for (int round = 0; round < 20; ++round) {
      for (unsigned throwing = 0; throwing < 16; ++throwing)
        expect_lowest(context, throwing, std::make_index_sequence<4>());
      for (unsigned throwing = 0; throwing < 4; ++throwing)
        expect_lowest(context, throwing, std::make_index_sequence<2>());
    }
  });
}

#if !defined(NDEBUG)
TEST(ForkContextDeathTest, IsOfOneThread) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        scheduler.run([] {
          jobs::with_fork_context([](ForkContext context) {
            std::thread([context] { fibonacci(context, 2); }).join();
          });
        });
      },
      "used on another thread than the one that it was given to");
}
#endif

}  // namespace
