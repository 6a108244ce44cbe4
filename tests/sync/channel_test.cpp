// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/channel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "jobs/sync/event.hpp"
#include "jobs/sync/select.hpp"
#include "tests/support/scale.hpp"
#include "tests/sync/fiber_thread.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::Channel;
using jobs::Event;
using jobs::test::Body;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::run_fibers;
using jobs::test::threads;
using testing::ElementsAre;
using testing::Eq;
using testing::Optional;

TEST(Channel, HoldsAsManyItemsAsItIsTold) {
  Channel<int> channel(2);
  EXPECT_TRUE(channel.try_push(1));
  EXPECT_TRUE(channel.push(2));
  EXPECT_FALSE(channel.try_push(3));
  EXPECT_FALSE(channel.try_push_for(3, kShort));
  EXPECT_THAT(channel.try_pop(), Optional(1));
  EXPECT_TRUE(channel.try_push(3));
  EXPECT_THAT(channel.pop(), Optional(2));
  EXPECT_THAT(channel.pop(), Optional(3));
  EXPECT_THAT(channel.try_pop(), Eq(std::nullopt));
  EXPECT_THAT(channel.try_pop_for(kShort), Eq(std::nullopt));
}

TEST(Channel, ARendezvousHoldsNothing) {
  Channel<int> channel(0);
  EXPECT_FALSE(channel.try_push(1));
  EXPECT_THAT(channel.try_pop(), Eq(std::nullopt));
  std::vector<int> log;
  run_fibers({[&] {
                EXPECT_TRUE(channel.push(1));
                log.push_back(2);
              },
              [&] {
                log.push_back(1);
                EXPECT_THAT(channel.pop(), Optional(1));
              }});
  EXPECT_THAT(log, ElementsAre(1, 2)) << "the push waits for the pop";
}

TEST(Channel, AnUnboundedOneNeverMakesAPushWait) {
  Channel<int> channel(Channel<int>::kUnbounded);
  for (int round = 0; round < 2; ++round) {
    for (int item = 0; item < 1000; ++item) EXPECT_TRUE(channel.try_push(item));
    for (int item = 0; item < 1000; ++item) EXPECT_THAT(channel.try_pop(), Optional(item));
  }
}

TEST(Channel, CarriesWhatCanOnlyBeMoved) {
  Channel<std::unique_ptr<int>> channel(1);
  EXPECT_TRUE(channel.push(std::make_unique<int>(7)));
  auto second = std::make_unique<int>(8);
  EXPECT_FALSE(channel.try_push(std::move(second)));
  ASSERT_NE(second, nullptr) << "a push that fails leaves its item alone";
  EXPECT_EQ(**channel.pop(), 7);
  EXPECT_TRUE(channel.push(std::move(second)));  // destroyed with the channel
}

TEST(Channel, ClosedItGivesOutWhatIsThereAndTakesNoMore) {
  Channel<int> channel(3);
  EXPECT_TRUE(channel.push(1));
  EXPECT_TRUE(channel.push(2));
  EXPECT_FALSE(channel.is_closed());
  channel.close();
  channel.close();
  EXPECT_TRUE(channel.is_closed());
  EXPECT_FALSE(channel.push(3));
  std::vector<int> items;
  for (int& item : channel) items.push_back(item);
  EXPECT_THAT(items, ElementsAre(1, 2));
  EXPECT_THAT(channel.pop(), Eq(std::nullopt));
}

TEST(Channel, ClosingWakesAllWaiters) {
  Channel<int> empty(1);
  Channel<int> full(1);
  EXPECT_TRUE(full.push(0));
  const auto waiters = threads(4, [&](std::size_t index) {
    if (index % 2 == 0) {
      EXPECT_THAT(empty.pop(), Eq(std::nullopt));
    } else {
      EXPECT_FALSE(full.push(1));
    }
  });
  jobs::test::settle();
  empty.close();
  full.close();
}

TEST(Channel, WaitersAreServedInTheOrderInWhichTheyCame) {
  Channel<int> channel(0);
  std::vector<int> got(4);
  const auto pop = [&](std::size_t who) { return [&, who] { got[who] = *channel.pop(); }; };
  run_fibers({pop(0), pop(1),
              [&] {
                for (int item = 1; item <= 4; ++item) EXPECT_TRUE(channel.push(item));
              },
              pop(2), pop(3)});
  EXPECT_THAT(got, ElementsAre(1, 2, 3, 4));

  got.clear();
  const auto push = [&](int item) { return [&channel, item] { EXPECT_TRUE(channel.push(item)); }; };
  run_fibers({push(1), push(2), push(3), [&] {
                for (int i = 0; i < 3; ++i) got.push_back(*channel.pop());
              }});
  EXPECT_THAT(got, ElementsAre(1, 2, 3));
}

// An item that waits for a place in a full channel enters before an item that is pushed later.
TEST(Channel, AWaitingPushIsNotOvertaken) {
  Channel<int> channel(1);
  run_fibers({[&] {
                EXPECT_TRUE(channel.push(1));
                EXPECT_TRUE(channel.push(2));  // waits
              },
              [&] {
                EXPECT_THAT(channel.pop(), Optional(1));
                EXPECT_FALSE(channel.try_push(3));
                EXPECT_THAT(channel.pop(), Optional(2));
                EXPECT_THAT(channel.pop(), Optional(4));
              },
              [&] { EXPECT_TRUE(channel.push(4)); }});
}

class AnyCapacity : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Capacities, AnyCapacity,
                         testing::Values(0u, 1u, 7u, Channel<int>::kUnbounded));

TEST_P(AnyCapacity, EveryItemArrivesOnce) {
  constexpr std::uint64_t kItems = 20'000;
  constexpr std::size_t kPushers = 3;
  Channel<std::unique_ptr<std::uint64_t>> channel(GetParam());
  std::atomic<std::uint64_t> count{0};
  std::atomic<std::uint64_t> sum{0};
  {
    const auto poppers = threads(3, [&](std::size_t) {
      for (const auto& item : channel) {
        ++count;
        sum += *item;
      }
    });
    {
      const auto pushers = threads(kPushers, [&](std::size_t) {
        for (std::uint64_t item = 1; item <= kItems; ++item) {
          EXPECT_TRUE(channel.push(std::make_unique<std::uint64_t>(item)));
        }
      });
    }
    channel.close();
  }
  EXPECT_EQ(count, kPushers * kItems);
  EXPECT_EQ(sum, kPushers * kItems * (kItems + 1) / 2);
}

// --- select -------------------------------------------------------------------------------------

TEST(Select, TakesTheFirstThatIsReady) {
  Channel<int> numbers(1);
  Channel<char> letters(1);
  Event event;
  std::optional<int> number;
  std::optional<char> letter;
  EXPECT_EQ(jobs::try_select(numbers.on_pop(number), letters.on_pop(letter), event.on_signal()),
            std::nullopt);
  event.signal();
  EXPECT_EQ(jobs::select(numbers.on_pop(number), letters.on_pop(letter), event.on_signal()), 2u);
  EXPECT_TRUE(letters.push('x'));
  EXPECT_EQ(jobs::select(numbers.on_pop(number), letters.on_pop(letter), event.on_signal()), 1u);
  EXPECT_EQ(letter, 'x');
  EXPECT_FALSE(number.has_value());
}

TEST(Select, PushesWhereThereIsRoom) {
  Channel<int> full(0);
  Channel<int> room(1);
  std::optional<int> first = 1;
  std::optional<int> second = 2;
  EXPECT_EQ(jobs::select(full.on_push(first), room.on_push(second)), 1u);
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, std::nullopt) << "it has gone";
  EXPECT_THAT(room.pop(), Optional(2));
}

TEST(Select, AClosedChannelIsReady) {
  Channel<int> closed(1);
  closed.close();
  std::optional<int> item;
  EXPECT_EQ(jobs::select(closed.on_pop(item)), 0u);
  EXPECT_EQ(item, std::nullopt);
  item = 1;
  EXPECT_EQ(jobs::select(closed.on_push(item)), 0u);
  EXPECT_EQ(item, 1) << "not taken";
}

TEST(Select, WaitsForTheFirstAndLeavesTheOthersAlone) {
  Channel<int> never(0);
  Channel<int> items(0);
  Event event;
  std::vector<std::size_t> log;
  run_fibers({[&] {
                for (int round = 0; round < 2; ++round) {
                  std::optional<int> item;
                  log.push_back(
                      jobs::select(never.on_pop(item), items.on_pop(item), event.on_signal()));
                }
              },
              [&] {
                EXPECT_TRUE(items.push(1));
                event.signal();
              }});
  EXPECT_THAT(log, ElementsAre(1, 2));
  EXPECT_FALSE(never.try_push(1)) << "nobody waits there any more";
  EXPECT_FALSE(items.try_push(1));
}

TEST(Select, GivesUpInTime) {
  Channel<int> never(0);
  Event event;
  std::optional<int> item;
  EXPECT_EQ(jobs::select_for(kShort, never.on_pop(item), event.on_signal()), std::nullopt);
  EXPECT_EQ(jobs::select_until(std::chrono::steady_clock::now() + kShort, event.on_signal()),
            std::nullopt);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(jobs::select(stop.get_token(), never.on_pop(item), event.on_signal()), std::nullopt);
}

TEST(Select, TwoSelectionsMeet) {
  Channel<int> one(0);
  Channel<int> two(0);
  std::optional<int> pushed = 5;
  std::optional<int> popped;
  run_fibers({[&] { EXPECT_EQ(jobs::select(one.on_pop(popped), two.on_pop(popped)), 1u); },
              [&] { EXPECT_EQ(jobs::select(two.on_push(pushed)), 0u); }});
  EXPECT_EQ(popped, 5);
}

// All pushers and poppers select over the same channels, in any order. Each item arrives once, and
// no party waits for ever.
TEST(Select, SelectionsLoseNothingAmongThemselves) {
  constexpr int kItems = 10'000;
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{1}}) {
    Channel<int> one(capacity);
    Channel<int> two(capacity);
    std::atomic<std::int64_t> sum{0};
    {
      const auto parties = threads(4, [&](std::size_t index) {
        for (int i = 1; i <= kItems; ++i) {
          std::optional<int> item;
          if (index % 2 == 0) {
            item = i;
            index == 0 ? jobs::select(one.on_push(item), two.on_push(item))
                       : jobs::select(two.on_push(item), one.on_push(item));
            EXPECT_EQ(item, std::nullopt);
          } else {
            index == 1 ? jobs::select(one.on_pop(item), two.on_pop(item))
                       : jobs::select(two.on_pop(item), one.on_pop(item));
            sum += item.value_or(0);
          }
        }
      });
    }
    EXPECT_EQ(sum, std::int64_t{kItems} * (kItems + 1));
  }
}

// Automatic events: each signal lets exactly one selection pass if the event was not set before.
TEST(Select, EachAutomaticSignalIsUsedOnce) {
  const int signals = jobs::test::scaled(1000);
  Event one(Event::Reset::kAutomatic);
  Event two(Event::Reset::kAutomatic);
  Event quit;
  std::atomic<int> passed{0};
  {
    const auto waiters = threads(3, [&](std::size_t index) {
      for (;;) {
        const std::size_t which =
            index % 2 == 0 ? jobs::select(one.on_signal(), two.on_signal(), quit.on_signal())
                           : jobs::select(two.on_signal(), one.on_signal(), quit.on_signal());
        if (which == 2) return;
        ++passed;
      }
    });
    for (int signal = 0; signal < signals; ++signal) {
      (signal % 2 == 0 ? one : two).signal();
      while (passed <= signal) std::this_thread::yield();
    }
    quit.signal();
  }
  EXPECT_EQ(passed, signals);
}

}  // namespace
