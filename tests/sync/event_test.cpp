// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/event.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "tests/sync/threads.hpp"

namespace {

using jobs::Event;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;
using jobs::test::threads;

TEST(Event, StaysSetUntilReset) {
  Event event;
  EXPECT_FALSE(event.is_set());
  event.signal();
  event.signal();
  EXPECT_TRUE(event.is_set());
  event.wait();
  event.wait();
  event.reset();
  event.reset();
  EXPECT_FALSE(event.is_set());
  EXPECT_FALSE(event.wait_for(kShort));
}

TEST(Event, LetsAllWaitersGoOn) {
  Event event;
  int data = 0;  // not atomic: the thread sanitizer checks what wait() promises
  std::atomic<int> passed{0};
  {
    const auto waiters = threads(4, [&](std::size_t) {
      event.wait();
      passed += data;
    });
    settle();
    data = 1;
    event.signal();
  }
  EXPECT_EQ(passed, 4);
}

TEST(Event, ASignalReachesThoseWhoWaitedThoughAResetFollows) {
  for (int round = 0; round < 200; ++round) {
    Event event;
    std::atomic<int> waiting{0};
    const auto waiters = threads(3, [&](std::size_t) {
      ++waiting;
      event.wait();
    });
    while (waiting != 3) std::this_thread::yield();
    settle();
    event.signal();
    event.reset();
    event.signal();  // wakes a thread that had not reached its wait within settle()
  }
}

TEST(Event, TimedWaitGivesUpAndCanBeRepeated) {
  Event event;
  EXPECT_FALSE(event.wait_for(std::chrono::seconds(0)));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(event.wait_until(start + kShort));
  EXPECT_GE(std::chrono::steady_clock::now() - start, kShort);
  const std::jthread signaller([&] {
    settle();
    event.signal();
  });
  EXPECT_TRUE(event.wait_for(kLong));
  EXPECT_TRUE(event.wait_for(std::chrono::seconds(0)));
}

// Two flags, one event. A signal between the check and the wait must not be lost, nor a signal that
// finds the event set.
TEST(Event, ResetLookWaitMissesNothing) {
  for (int round = 0; round < 1000; ++round) {
    Event event;
    std::atomic<bool> flags[2] = {};
    const auto signallers = threads(2, [&](std::size_t index) {
      flags[index].store(true, std::memory_order_relaxed);
      event.signal();
    });
    for (;;) {
      event.reset();
      if (flags[0].load(std::memory_order_relaxed) && flags[1].load(std::memory_order_relaxed))
        break;
      event.wait();
    }
    // The signallers may still be inside signal(); they are joined before the event is destroyed.
  }
}

TEST(Event, MayBeDestroyedAsSoonAsWaitReturns) {
  constexpr int kRounds = 100'000;
  std::atomic<Event*> handed_over{nullptr};
  const std::jthread signaller([&] {
    for (int round = 0; round < kRounds; ++round) {
      handed_over.wait(nullptr);
      handed_over.exchange(nullptr)->signal();
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    const auto event = std::make_unique<Event>();
    handed_over = event.get();
    handed_over.notify_one();
    event->wait();
  }
}

}  // namespace
