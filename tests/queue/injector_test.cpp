// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/queue/injector.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace jobs::detail {
namespace {

struct Item {
  Item* next = nullptr;
  std::size_t producer = 0;
  std::size_t number = 0;
};

TEST(Injector, IsEmptyAtFirst) {
  Atomic<std::uint32_t> filled{0};
  Injector<Item> injector(filled);
  EXPECT_TRUE(injector.looks_empty());
  EXPECT_EQ(injector.pop(), nullptr);
}

TEST(Injector, PopsOldestFirst) {
  Atomic<std::uint32_t> filled{0};
  Injector<Item> injector(filled);
  Item items[3];
  for (Item& item : items) injector.push(item);
  EXPECT_FALSE(injector.looks_empty());
  for (Item& item : items) EXPECT_EQ(injector.pop(), &item);
  EXPECT_EQ(injector.pop(), nullptr);
  injector.push(items[1]);  // starts again after it was empty
  EXPECT_EQ(injector.pop(), &items[1]);
}

TEST(Injector, KeepsAChainTogether) {
  Atomic<std::uint32_t> filled{0};
  Injector<Item> injector(filled);
  Item before;
  Item chain[2];
  Item after;
  chain[0].next = &chain[1];
  injector.push(before);
  injector.push_chain(chain[0], chain[1]);
  injector.push(after);
  for (Item* expected : {&before, &chain[0], &chain[1], &after})
    EXPECT_EQ(injector.pop(), expected);
  EXPECT_TRUE(injector.looks_empty());
}

// Two producers, two consumers: every item is popped once, and each consumer sees each producer's
// items in their order.
TEST(Injector, HandsOutEveryItemOnceAndInOrder) {
  constexpr std::size_t kThreads = 2;
  constexpr std::size_t kItems = 30'000;
  Atomic<std::uint32_t> filled{0};
  Injector<Item> injector(filled);
  std::vector<std::vector<Item>> items(kThreads, std::vector<Item>(kItems));
  std::atomic<std::size_t> popped{0};
  std::atomic<std::size_t> out_of_order{0};
  std::vector<std::thread> threads;
  for (std::size_t p = 0; p < kThreads; ++p) {
    threads.emplace_back([&, p] {
      for (std::size_t i = 0; i < kItems; ++i) {
        items[p][i].producer = p;
        items[p][i].number = i + 1;
        injector.push(items[p][i]);
      }
    });
    threads.emplace_back([&] {
      std::size_t last[kThreads] = {};
      while (popped.load(std::memory_order_relaxed) < kThreads * kItems) {
        const Item* item = injector.pop();
        if (item == nullptr) {
          std::this_thread::yield();
          continue;
        }
        popped.fetch_add(1, std::memory_order_relaxed);
        out_of_order += item->number <= last[item->producer];
        last[item->producer] = item->number;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(popped.load(), kThreads * kItems);
  EXPECT_EQ(out_of_order.load(), 0u);
  EXPECT_TRUE(injector.looks_empty());
}

}  // namespace
}  // namespace jobs::detail
