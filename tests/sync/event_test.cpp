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

// The signaller may be at any point inside signal() when the waiter destroys the event. Each round
// takes turns of two threads, for which a busy machine may need milliseconds: it makes fewer
// rounds.
TEST(Event, MayBeDestroyedAsSoonAsWaitReturns) {
  Event last;
  std::atomic<Event*> handed_over{nullptr};
  const std::jthread signaller([&] {
    for (Event* event = nullptr; event != &last;) {
      handed_over.wait(nullptr);
      event = handed_over.exchange(nullptr);
      event->signal();
    }
  });
  const auto hand_over = [&](Event& event) {
    handed_over = &event;
    handed_over.notify_one();
    event.wait();
  };
  jobs::test::repeat_for_a_while(100'000, [&](int) { hand_over(*std::make_unique<Event>()); });
  hand_over(last);
}

}  // namespace
