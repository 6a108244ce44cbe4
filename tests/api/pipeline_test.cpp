// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// pipeline(): the tokens that reach each stage, their order, the number in flight, and the early
// end.
#include "jobs/pipeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "jobs/spawn.hpp"
#include "jobs/sync/event.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"

namespace {

class Pipeline : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(Pipeline);

// 0, 1 ... count - 1
auto counting(int count) {
  return [i = 0, count]() mutable -> std::optional<int> {
    if (i == count) return std::nullopt;
    return i++;
  };
}

std::vector<int> iota(int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_P(Pipeline, KeepsTheOrderInOrderAndTheValuesEverywhere) {
  run([] {
    for (const std::size_t tokens : {1u, 2u, 3u, 8u, 64u}) {
      for (const int count : {0, 1, 2, 7, 500}) {
        std::vector<int> first;
        std::vector<int> unordered;
        std::vector<int> last;
        jobs::pipeline(tokens, counting(count),  //
                       jobs::in_order([&](int i) {
                         first.push_back(i);
                         return i;
                       }),
                       jobs::parallel([](int i) { return std::to_string(i); }),  //
                       jobs::out_of_order([&](const std::string& text) {
                         unordered.push_back(std::stoi(text));
                         return std::make_unique<int>(std::stoi(text));
                       }),
                       jobs::in_order([&](std::unique_ptr<int> i) { last.push_back(*i); }));
        EXPECT_EQ(first, iota(count)) << tokens;
        EXPECT_EQ(last, iota(count)) << tokens;
        std::sort(unordered.begin(), unordered.end());
        EXPECT_EQ(unordered, iota(count)) << tokens;
      }
    }
  });
}

TEST_P(Pipeline, EndsInAnyKindOfStage) {
  run([] {
    std::atomic<int> sum{0};
    jobs::pipeline(4, counting(100), jobs::parallel([&](int i) { sum += i; }));
    EXPECT_EQ(sum, 4950);
    int plain = 0;  // one at a time
    jobs::pipeline(4, counting(100), jobs::out_of_order([&](int i) { plain += i; }));
    EXPECT_EQ(plain, 4950);
    jobs::pipeline(4, counting(100), jobs::in_order([&](int i) { plain -= i; }));
    EXPECT_EQ(plain, 0);
  });
}

TEST_P(Pipeline, MayBeASourceAlone) {
  run([] {
    for (const int count : {0, 1, 7, 100}) {
      auto source = counting(count);
      int calls = 0;  // one at a time
      jobs::pipeline(3, [&] {
        ++calls;
        return source();
      });
      EXPECT_EQ(calls, count + 1);
    }
  });
}

TEST_P(Pipeline, NeverHasMoreTokensUnderWayThanAllowed) {
  run([] {
    constexpr int kTokens = 5;
    std::atomic<int> under_way{0};
    std::atomic<int> highest{0};
    auto source = counting(300);
    jobs::pipeline(
        kTokens,
        [&] {
          const auto value = source();
          if (value) {
            const int now = ++under_way;
            if (now > highest) highest = now;  // the source is alone
          }
          return value;
        },
        jobs::parallel([](int i) {
          if (i % 7 == 0) jobs::yield();
          return i;
        }),
        jobs::in_order([&](int) { --under_way; }));
    EXPECT_LE(highest, kTokens);
    EXPECT_EQ(under_way, 0);
  });
}

TEST_P(Pipeline, AWaitingStageHoldsUpNeitherWorkerNorOtherTokens) {
  run([] {
    jobs::Event last_seen;
    std::vector<int> order;
    jobs::pipeline(4, counting(4), jobs::parallel([&](int i) {
                     if (i == 0) last_seen.wait();  // waits for a token that was read later
                     if (i == 3) last_seen.signal();
                     return i;
                   }),
                   jobs::in_order([&](int i) { order.push_back(i); }));
    EXPECT_EQ(order, iota(4));
  });
}

// A token waits for a neighbour. It would block that neighbour if the pipeline kept back tokens
// behind it in a queue, or tokens that have passed it.
TEST_P(Pipeline, AnyStageMayWaitForTheNeighboursOfItsToken) {
  run([] {
    constexpr int kCount = 40;
    for (const std::size_t tokens : {2u, 3u, 8u, 32u}) {
      std::vector<jobs::Event> begun(kCount + 1);
      std::vector<jobs::Event> written(kCount);
      int next = 0;
      jobs::pipeline(
          tokens,
          [&]() -> std::optional<int> {
            if (next == kCount) {
              begun[kCount].signal();
              return std::nullopt;
            }
            if (next % 20 == 6) written[static_cast<std::size_t>(next - 1)].wait();
            return next++;
          },
          jobs::parallel([&](int i) {
            const auto at = static_cast<std::size_t>(i);
            begun[at].signal();
            // A token that is read later, and a token that was read before.
            if (i % 7 == 2) begun[at + 1].wait();
            if (i % 7 == 4) written[at - 1].wait();
            return i;
          }),
          jobs::in_order([&](int i) {
            const auto at = static_cast<std::size_t>(i);
            written[at].signal();
          }));
      EXPECT_EQ(next, kCount);
    }
  });
}

TEST_P(Pipeline, TheLastStageMayWaitForTheValueThatIsReadBecauseOneHasLeft) {
  run([] {
    constexpr int kTokens = 8;
    std::vector<jobs::Event> begun(40);
    jobs::pipeline(kTokens, counting(40), jobs::parallel([&](int i) {
                     begun[static_cast<std::size_t>(i)].signal();
                     return i;
                   }),
                   jobs::in_order([&](int i) {
                     begun[static_cast<std::size_t>(std::min(i + kTokens - 1, 39))].wait();
                   }));
  });
}

// A stage that occupies its worker must not keep other tokens from other workers.
TEST_P(Pipeline, SharesTheTokensOfALongStage) {
  if (is_serial()) return;
  run([] {
    for (int long_one = 0; long_one < 20; ++long_one) {
      std::atomic<bool> next_has_begun{false};
      std::vector<int> order;
      jobs::pipeline(8, counting(40), jobs::parallel([&](int i) {
                       if (i == long_one + 1) next_has_begun = true;
                       const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
                       while (i == long_one && !next_has_begun) {
                         std::this_thread::yield();  // yields the thread, not the fiber
                         if (std::chrono::steady_clock::now() > end) {
                           ADD_FAILURE() << long_one;
                           break;
                         }
                       }
                       return i;
                     }),
                     jobs::in_order([&](int i) { order.push_back(i); }));
      EXPECT_EQ(order, iota(40));
    }
  });
}

TEST_P(Pipeline, TheSourceMayWaitForAnEarlierValue) {
  run([] {
    jobs::Event done[20];
    int read = 0;
    jobs::pipeline(
        4,
        [&]() -> std::optional<int> {
          if (read == 20) return std::nullopt;
          if (read >= 1) done[read - 1].wait();
          return read++;
        },
        jobs::parallel([](int i) { return i; }), jobs::in_order([&](int i) { done[i].signal(); }));
    EXPECT_EQ(read, 20);
  });
}

TEST_P(Pipeline, ThrowsTheFirstExceptionOfAnyStage) {
  run([] {
    for (const int where : {0, 1, 2, 3}) {
      const auto fail = [where](int stage, int i) {
        if (stage == where && i == 20) throw std::runtime_error("stage " + std::to_string(stage));
        return i;
      };
      auto source = counting(1000);
      std::atomic<int> after{0};
      try {
        jobs::pipeline(
            8,
            [&] {
              const auto i = source();
              if (i) fail(0, *i);
              return i;
            },
            jobs::parallel([&](int i) { return fail(1, i); }),      //
            jobs::out_of_order([&](int i) { return fail(2, i); }),  //
            jobs::in_order([&](int i) {
              fail(3, i);
              ++after;
            }));
        ADD_FAILURE() << where;
      } catch (const std::runtime_error& error) {
        EXPECT_EQ(error.what(), "stage " + std::to_string(where));
      }
      EXPECT_LE(after, 20);
    }
  });
}

TEST_P(Pipeline, DestroysValuesThatAreLeftOnTheWay) {
  run([] {
    const auto alive = std::make_shared<int>();
    auto source = counting(100);
    EXPECT_THROW(jobs::pipeline(
                     8,
                     [&]() -> std::optional<std::shared_ptr<int>> {
                       if (!source()) return std::nullopt;
                       return alive;
                     },
                     jobs::parallel([](std::shared_ptr<int> p) { return p; }),
                     jobs::in_order([n = 0](const std::shared_ptr<int>&) mutable {
                       if (++n == 10) throw std::runtime_error("enough");
                     })),
                 std::runtime_error);
    EXPECT_EQ(alive.use_count(), 1);
  });
}

TEST_P(Pipeline, StopsOnRequest) {
  run([] {
    std::stop_source stop;
    int written = 0;
    int read = 0;
    EXPECT_THROW(jobs::pipeline(
                     {.max_tokens = 4, .stop = stop.get_token()},
                     [&]() -> std::optional<int> { return read++; },  // never ends by itself
                     jobs::parallel([](int i) { return i; }),         //
                     jobs::in_order([&](int) {
                       if (++written == 50) stop.request_stop();
                     })),
                 jobs::Cancelled);
    EXPECT_EQ(written, 50);
    EXPECT_LE(read, 54);
    EXPECT_THROW(jobs::pipeline({.max_tokens = 4, .stop = stop.get_token()}, counting(3),
                                jobs::parallel([](int) { ADD_FAILURE(); })),
                 jobs::Cancelled);
  });
}

TEST_P(Pipeline, CountsAndTimesItsStages) {
  run([] {
    // Returns whether the stage that sleeps took longer than the empty one.
    const auto has_a_longer_stage = [] {
      jobs::PipelineStats stats;
      jobs::pipeline({.max_tokens = 4, .stats = &stats}, counting(10), jobs::parallel([](int i) {
                       std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       return i;
                     }),
                     jobs::in_order([](int) {}));
      EXPECT_EQ(stats.stages.size(), 3u);
      for (const auto& stage : stats.stages) EXPECT_EQ(stage.values, 10u);
      EXPECT_GE(stats.stages.at(1).busy, std::chrono::milliseconds(10));
      return stats.stages.at(2).busy < stats.stages.at(1).busy;
    };
    // The empty stage takes long in a run in which the system takes the CPU from it.
    EXPECT_TRUE(jobs::test::is_true_in_time(has_a_longer_stage));
  });
}

TEST_P(Pipeline, NestsAndComesInNumbers) {
  run([] {
    std::vector<int> order;
    jobs::pipeline(3, counting(20), jobs::parallel([](int i) {
                     int sum = 0;
                     jobs::pipeline(2, counting(i), jobs::out_of_order([&](int k) { sum += k; }));
                     return sum;
                   }),
                   jobs::in_order([&](int sum) { order.push_back(sum); }));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i * (i - 1) / 2);
  });
}

TEST_P(Pipeline, SurvivesAStorm) {
  run([] {
    std::mt19937_64 random(jobs::test::seed());
    constexpr int kRounds = jobs::test::kSanitized ? 60 : 400;
    for (int round = 0; round < kRounds; ++round) {
      const auto tokens = static_cast<std::size_t>(1 + random() % 20);
      const int count = static_cast<int>(random() % 60);
      const unsigned yields = static_cast<unsigned>(random() % 5);
      std::vector<int> order;
      int unordered = 0;
      jobs::pipeline(tokens, counting(count),  //
                     jobs::out_of_order([&](int i) {
                       ++unordered;
                       return i;
                     }),
                     jobs::parallel([&](int i) {
                       if (yields != 0 && static_cast<unsigned>(i) % yields == 0) jobs::yield();
                       return i;
                     }),
                     jobs::in_order([&](int i) { order.push_back(i); }));
      ASSERT_EQ(order, iota(count)) << jobs::test::replay();
      ASSERT_EQ(unordered, count) << jobs::test::replay();
    }
  });
}

TEST(PipelineChecks, TokensAndStagesKeepAnAlignmentAboveACacheLine) {
  struct alignas(256) Wide {
    int number = 0;
  };
  int made = 0;
  int sum = 0;
  jobs::pipeline(
      3,
      [&]() -> std::optional<Wide> {
        if (made == 50) return std::nullopt;
        return Wide{++made};
      },
      jobs::parallel([offset = Wide{1}](const Wide& wide) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&wide) % 256, 0U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&offset) % 256, 0U);
        return wide.number - offset.number;
      }),
      jobs::in_order([&](int number) { sum += number; }));
  EXPECT_EQ(sum, 50 * 49 / 2);
}

TEST(PipelineChecks, RefusesZeroTokens) {
  EXPECT_THROW(jobs::pipeline(0, counting(1), jobs::parallel([](int) {})), jobs::Error);
}

}  // namespace
