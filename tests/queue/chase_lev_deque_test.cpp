// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/queue/chase_lev_deque.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace jobs::detail {
namespace {

struct Item {
  // Written before the push, read by the taker: ThreadSanitizer checks the edge.
  std::size_t value = 0;
  std::atomic<int> obtained{0};
};

using SmallDeque = ChaseLevDeque<Item, std::int64_t, 2>;

// The view of one thread, with a deque that is always public, and one that is private first.
class ChaseLevDequeOfOneThread : public testing::TestWithParam<OwnerBarrier> {};

// Acts as a thief that finds the deque private and does not wait for an answer.
template <class Deque>
StealResult<Item> force_publish_and_steal(Deque& deque) {
  const auto stolen = deque.steal();
  if (stolen.status != StealStatus::kPrivate) return stolen;
  deque.force_publish();
  return deque.steal();
}

TEST_P(ChaseLevDequeOfOneThread, IsEmptyAtFirst) {
  SmallDeque deque(GetParam());
  Item item;
  EXPECT_TRUE(deque.looks_empty());
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_EQ(deque.steal().status, StealStatus::kEmpty);
  EXPECT_FALSE(deque.pop_if(&item));
  EXPECT_TRUE(deque.looks_empty());
}

TEST_P(ChaseLevDequeOfOneThread, PopsTheYoungestAndStealsTheOldest) {
  SmallDeque deque(GetParam());
  Item items[3];
  for (Item& item : items) deque.push(&item);
  EXPECT_FALSE(deque.looks_empty());
  EXPECT_EQ(force_publish_and_steal(deque).item, &items[0]);
  EXPECT_EQ(deque.pop(), &items[2]);
  const auto last = force_publish_and_steal(deque);
  EXPECT_EQ(last.status, StealStatus::kTaken);
  EXPECT_EQ(last.item, &items[1]);
  EXPECT_EQ(deque.pop(), nullptr);
  EXPECT_TRUE(deque.looks_empty());
}

TEST_P(ChaseLevDequeOfOneThread, KnowsHowManyThereAre) {
  SmallDeque deque(GetParam());
  Item items[5];
  EXPECT_EQ(deque.approximate_size(), 0u);
  for (std::size_t i = 0; i < 5; ++i) {
    deque.push(&items[i]);
    EXPECT_EQ(deque.approximate_size(), i + 1);
  }
  force_publish_and_steal(deque);
  deque.pop();
  EXPECT_EQ(deque.approximate_size(), 3u);
  while (deque.pop() != nullptr) {
  }
  EXPECT_EQ(deque.approximate_size(), 0u);
}

TEST_P(ChaseLevDequeOfOneThread, KeepsEverythingWhenItGrows) {
  SmallDeque deque(GetParam());
  std::vector<Item> items(1000);
  // Three in, one out, so that it grows while its entries lie across the end of the ring.
  std::size_t oldest = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    deque.push(&items[i]);
    if (i % 3 == 2) {
      ASSERT_EQ(force_publish_and_steal(deque).item, &items[oldest++]);
    }
  }
  for (std::size_t i = items.size(); i-- > oldest;) ASSERT_EQ(deque.pop(), &items[i]);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST_P(ChaseLevDequeOfOneThread, ThrowsWhenItsIndicesCannotNumberMoreEntries) {
  ChaseLevDeque<Item, std::int8_t, 8> deque(GetParam());
  Item item;
  for (int i = 0; i < 8; ++i) deque.push(&item);
  EXPECT_THROW(deque.push(&item), std::bad_alloc);
  // The failed push has changed nothing.
  for (int i = 0; i < 8; ++i) EXPECT_EQ(deque.pop(), &item);
  EXPECT_EQ(deque.pop(), nullptr);
}

TEST_P(ChaseLevDequeOfOneThread, GoesOnWhenItsIndicesWrap) {
  ChaseLevDeque<Item, std::int8_t, 4, 3> deque(GetParam());
  Item items[3];
  for (int round = 0; round < 1000; ++round) {
    for (Item& item : items) deque.push(&item);
    ASSERT_EQ(force_publish_and_steal(deque).item, &items[0]);
    ASSERT_EQ(deque.pop(), &items[2]);
    ASSERT_TRUE(deque.pop_if(&items[1]));
    ASSERT_TRUE(deque.looks_empty());
    ASSERT_EQ(deque.pop(), nullptr);
    ASSERT_EQ(deque.steal().status, StealStatus::kEmpty);
  }
}

TEST_P(ChaseLevDequeOfOneThread, PopsOnlyWhatIsExpected) {
  SmallDeque deque(GetParam());
  Item own;
  Item foreign;
  deque.push(&own);
  deque.push(&foreign);
  EXPECT_FALSE(deque.pop_if(&own)) << "another fiber's job lies above it";
  EXPECT_TRUE(deque.pop_if(&foreign));
  EXPECT_TRUE(deque.pop_if(&own));
  EXPECT_FALSE(deque.pop_if(&own)) << "its pointer still stands in the slot";
  deque.push(&own);
  EXPECT_EQ(force_publish_and_steal(deque).item, &own);
  EXPECT_FALSE(deque.pop_if(&own)) << "it was stolen";
  EXPECT_TRUE(deque.looks_empty());
}

TEST_P(ChaseLevDequeOfOneThread, LosesNothingWhenItIsPublicAndPrivateInTurns) {
  ChaseLevDeque<Item, std::int8_t, 4, 2> deque(GetParam());
  Item items[4];
  for (int round = 0; round < 1000; ++round) {
    deque.push(&items[0]);
    deque.push(&items[1]);
    if (round % 3 == 0) deque.publish();
    deque.push(&items[2]);
    deque.push(&items[3]);
    ASSERT_EQ(deque.pop(), &items[3]);
    if (round % 5 == 0) {
      ASSERT_EQ(force_publish_and_steal(deque).item, &items[0]);
      deque.push(&items[0]);
      ASSERT_EQ(deque.pop(), &items[0]);
    }
    ASSERT_TRUE(deque.pop_if(&items[2]));
    ASSERT_FALSE(deque.looks_empty());
    ASSERT_EQ(deque.pop(), &items[1]);
    ASSERT_EQ(deque.pop(), round % 5 == 0 ? nullptr : &items[0]);
    ASSERT_TRUE(deque.looks_empty());
  }
}

INSTANTIATE_TEST_SUITE_P(Barriers, ChaseLevDequeOfOneThread,
                         testing::Values(OwnerBarrier::kAlways, OwnerBarrier::kWhenPublic),
                         [](const auto& barrier) {
                           return barrier.param == OwnerBarrier::kAlways ? "Always" : "WhenShared";
                         });

TEST(ChaseLevDeque, IsPrivateUntilAThiefRequestsIt) {
  SmallDeque deque(OwnerBarrier::kWhenPublic);
  Item items[3];
  for (Item& item : items) deque.push(&item);
  EXPECT_FALSE(deque.looks_empty());
  EXPECT_EQ(deque.steal().status, StealStatus::kPrivate);
  EXPECT_EQ(deque.steal().status, StealStatus::kPrivate) << "the owner has not looked";
  EXPECT_EQ(deque.pop(), &items[2]);
  EXPECT_EQ(deque.steal().item, &items[0]);
  EXPECT_EQ(deque.pop(), &items[1]);
  EXPECT_EQ(deque.steal().status, StealStatus::kEmpty);
}

TEST(ChaseLevDeque, IsPrivateAgainWithoutThefts) {
  ChaseLevDeque<Item, std::int64_t, 2, 5> deque(OwnerBarrier::kWhenPublic);
  Item item;
  Item other;
  deque.push(&item);
  deque.publish();
  for (int i = 0; i < 4; ++i) {
    deque.push(&other);
    ASSERT_TRUE(deque.pop_if(&other));
  }
  ASSERT_EQ(deque.steal().item, &item);
  deque.push(&item);
  for (int i = 0; i < 5; ++i) {
    deque.push(&other);
    ASSERT_TRUE(deque.pop_if(&other));
  }
  EXPECT_EQ(deque.steal().status, StealStatus::kPrivate);
  EXPECT_TRUE(deque.pop_if(&item));
}

TEST_P(ChaseLevDequeOfOneThread, ShrinksWithItsEntriesAndGrowsAgain) {
  SmallDeque deque(GetParam());
  std::vector<Item> items(50'000);  // The ring has pages of its own.
  for (int round = 0; round < 3; ++round) {
    for (Item& item : items) deque.push(&item);
    EXPECT_GE(deque.grown_bytes(), items.size() * sizeof(Item*));
    deque.shrink();
    EXPECT_TRUE(deque.is_grown()) << "the entries do not fit";
    for (std::size_t i = items.size(); i-- > 2;) ASSERT_EQ(deque.pop(), &items[i]);
    deque.shrink();
    EXPECT_EQ(deque.grown_bytes(), 0u);
    ASSERT_EQ(force_publish_and_steal(deque).item, &items[0]);
    ASSERT_EQ(deque.pop(), &items[1]);
    ASSERT_EQ(deque.pop(), nullptr);
  }
}

TEST_P(ChaseLevDequeOfOneThread, ShrinksOnlyIfTheLargeRingIsUnused) {
  SmallDeque deque(GetParam());
  std::vector<Item> items(100);
  const auto fill_and_empty = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) deque.push(&items[i]);
    for (std::size_t i = count; i-- > 0;) ASSERT_EQ(deque.pop(), &items[i]);
  };
  fill_and_empty(100);
  deque.watch();
  fill_and_empty(100);
  deque.shrink_if_unused();
  EXPECT_TRUE(deque.is_grown());
  deque.watch();
  for (int i = 0; i < 10; ++i) fill_and_empty(2);
  deque.shrink_if_unused();
  EXPECT_FALSE(deque.is_grown());
}

// One owner that pushes, pops, joins and shrinks the deque at random, three thieves: every item is
// obtained exactly once.
class ChaseLevDequeWithThieves : public testing::TestWithParam<OwnerBarrier> {};

TEST_P(ChaseLevDequeWithThieves, HandsOutEveryItemOnce) {
  if (GetParam() == OwnerBarrier::kWhenPublic && !light_fence_is_free())
    GTEST_SKIP() << "needs membarrier";
  constexpr std::size_t kItems = 1'000'000;
  constexpr int kThieves = 3;
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  ChaseLevDeque<Item, std::int64_t, 2, 4> deque(GetParam());
  std::vector<Item> items(kItems);
  std::atomic<bool> done{false};

  const auto obtain = [](Item& item) {
    if (item.value != 0) item.obtained.fetch_add(1, std::memory_order_relaxed);
  };
  std::vector<std::thread> thieves;
  for (int i = 0; i < kThieves; ++i) {
    thieves.emplace_back([&] {
      int asked = 0;
      while (!done.load(std::memory_order_acquire)) {
        const auto stolen = deque.steal();
        if (stolen.item != nullptr) {
          obtain(*stolen.item);
        } else if (stolen.status == StealStatus::kEmpty) {
          std::this_thread::yield();
        } else if (stolen.status == StealStatus::kPrivate && ++asked % 128 == 0) {
          deque.force_publish();
        }
      }
    });
  }

  std::mt19937 random(seed);
  for (std::size_t next = 0; next < kItems;) {
    const std::size_t burst = random() % 10'000 == 0 ? 20'000 : 1 + random() % 6;
    for (std::size_t i = 0; i < burst && next < kItems; ++i) {
      items[next].value = next + 1;
      deque.push(&items[next++]);
    }
    if (random() % 2 == 0) {
      Item& youngest = items[next - 1];
      if (deque.pop_if(&youngest)) obtain(youngest);
    }
    for (std::size_t i = random() % 6 + burst / 6 * 5; i > 0; --i) {
      if (Item* item = deque.pop()) obtain(*item);
    }
    if (random() % 8 == 0) deque.shrink();
  }
  while (Item* item = deque.pop()) obtain(*item);
  done.store(true, std::memory_order_release);
  for (std::thread& thief : thieves) thief.join();

  std::size_t wrong = 0;
  for (const Item& item : items) wrong += item.obtained.load(std::memory_order_relaxed) != 1;
  EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(Barriers, ChaseLevDequeWithThieves,
                         testing::Values(OwnerBarrier::kAlways, OwnerBarrier::kWhenPublic),
                         [](const auto& barrier) {
                           return barrier.param == OwnerBarrier::kAlways ? "Always" : "WhenShared";
                         });

}  // namespace
}  // namespace jobs::detail
