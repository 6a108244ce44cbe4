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

using jobs::detail::Gate;
using jobs::detail::Outcome;
using jobs::detail::Permits;
using jobs::detail::to_deadline;
using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::settle;

TEST(Gate, AStopThatCameBeforeCancelsTheWait) {
  Gate gate(1);
  Gate stop(0);
  EXPECT_EQ(gate.wait({.stop = &stop}), Outcome::kCancelled);
  EXPECT_EQ(gate.state().flags(), 0u) << "nobody is left on the list";
}

TEST(Gate, AStopCancelsAWaitInProgress) {
  Gate gate(1);
  Gate stop(1);
  const std::jthread stopper([&] {
    settle();
    stop.open();
  });
  EXPECT_EQ(gate.wait({.deadline = to_deadline(kLong), .stop = &stop}), Outcome::kCancelled);
  EXPECT_EQ(gate.state().flags(), 0u);
}

TEST(Gate, AnOpenGateBeatsTheStop) {
  Gate gate(0);
  Gate stop(0);
  EXPECT_EQ(gate.wait({.stop = &stop}), Outcome::kOk);
}

TEST(Gate, AWaitThatEndsOtherwiseLeavesTheStop) {
  Gate gate(1);
  Gate stop(1);
  EXPECT_EQ(gate.wait({.deadline = to_deadline(kShort), .stop = &stop}), Outcome::kTimedOut);
  EXPECT_EQ(stop.state().flags(), 0u);
  const std::jthread opener([&] {
    settle();
    gate.open();
  });
  EXPECT_EQ(gate.wait({.stop = &stop}), Outcome::kOk);
  EXPECT_EQ(stop.state().flags(), 0u);
}

TEST(Permits, AStopCancelsAWaitInProgress) {
  Permits permits(0);
  Gate stop(1);
  const std::jthread stopper([&] {
    settle();
    stop.open();
  });
  EXPECT_EQ(permits.acquire({.stop = &stop}), Outcome::kCancelled);
  permits.release();
  EXPECT_TRUE(permits.try_acquire()) << "the permit did not go to the cancelled wait";
}

}  // namespace
