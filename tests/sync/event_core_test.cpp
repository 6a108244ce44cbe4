// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Waits that a stop gate cancels: only the protocols offer them so far. The tests of the primitives
// cover the rest.
#include "jobs/sync/core/event_core.hpp"

#include <gtest/gtest.h>

#include "jobs/base/deadline.hpp"
#include "jobs/sync/core/semaphore_core.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::detail::EventCore;
using jobs::detail::SemaphoreCore;
using jobs::detail::to_deadline;
using jobs::detail::WaitStatus;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;

TEST(EventCore, AStopThatCameBeforeCancelsTheWait) {
  EventCore event(1);
  EventCore stop(0);
  EXPECT_EQ(event.wait({.stop = &stop}), WaitStatus::kCancelled);
  EXPECT_EQ(event.state().flags(), 0u) << "nobody is left on the list";
}

TEST(EventCore, AStopCancelsAWaitInProgress) {
  EventCore event(1);
  EventCore stop(1);
  const std::jthread stopper([&] {
    settle();
    stop.open();
  });
  EXPECT_EQ(event.wait({.deadline = to_deadline(kLong), .stop = &stop}), WaitStatus::kCancelled);
  EXPECT_EQ(event.state().flags(), 0u);
}

TEST(EventCore, AnOpenGateBeatsTheStop) {
  EventCore event(0);
  EventCore stop(0);
  EXPECT_EQ(event.wait({.stop = &stop}), WaitStatus::kOk);
}

TEST(EventCore, AWaitThatEndsOtherwiseLeavesTheStop) {
  EventCore event(1);
  EventCore stop(1);
  EXPECT_EQ(event.wait({.deadline = to_deadline(kShort), .stop = &stop}), WaitStatus::kTimedOut);
  EXPECT_EQ(stop.state().flags(), 0u);
  const std::jthread opener([&] {
    settle();
    event.open();
  });
  EXPECT_EQ(event.wait({.stop = &stop}), WaitStatus::kOk);
  EXPECT_EQ(stop.state().flags(), 0u);
}

TEST(SemaphoreCore, AStopCancelsAWaitInProgress) {
  SemaphoreCore permits(0);
  EventCore stop(1);
  const std::jthread stopper([&] {
    settle();
    stop.open();
  });
  EXPECT_EQ(permits.acquire({.stop = &stop}), WaitStatus::kCancelled);
  permits.release();
  EXPECT_TRUE(permits.try_acquire()) << "the permit did not go to the cancelled wait";
}

}  // namespace
