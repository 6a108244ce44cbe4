// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberShare: when a worker looks at the figures of all workers, when it offers its jobs, and how
// long it continues alone.
#include "jobs/runtime/parking/fiber_share.hpp"

#include <gtest/gtest.h>

namespace jobs::detail {
namespace {

// Sets the figures of one look.
FiberShare::Fibers figures(std::size_t own, std::size_t others, std::size_t workers) {
  FiberShare::Fibers fibers;
  fibers.own = own;
  fibers.others = others;
  fibers.workers = workers;
  return fibers;
}

// The number of suspensions until the next look.
unsigned suspensions(FiberShare& share) {
  unsigned count = 1;
  while (!share.is_look_due()) ++count;
  return count;
}

TEST(FiberShare, IsAQuarterAboveTheMeanPlusSixteen) {
  FiberShare share;
  EXPECT_FALSE(share.exceeds(figures(141, 59, 2)));  // the mean is 100
  EXPECT_FALSE(share.is_exceeded());
  EXPECT_TRUE(share.exceeds(figures(142, 58, 2)));
  EXPECT_TRUE(share.is_exceeded());
}

TEST(FiberShare, LooksOnceInSixteenSuspensionsAndMoreOftenNearTheLimit) {
  FiberShare share;
  EXPECT_EQ(suspensions(share), 16u);
  ASSERT_FALSE(share.exceeds(figures(1, 1, 2)));
  EXPECT_EQ(suspensions(share), 16u);
  ASSERT_FALSE(share.exceeds(figures(138, 62, 2)));
  EXPECT_EQ(suspensions(share), 4u);
  ASSERT_FALSE(share.exceeds(figures(141, 59, 2)));
  EXPECT_EQ(suspensions(share), 1u);
}

TEST(FiberShare, IsNeverExceededByTheOnlyWorker) {
  FiberShare share;
  EXPECT_FALSE(share.exceeds(figures(1'000'000, 0, 1)));
  EXPECT_FALSE(share.exceeds(figures(0, 0, 0)));
}

// The jobs that the worker starts before its next offer, if the other workers have that many
// fibers.
unsigned alone(FiberShare& share, std::size_t others) {
  share.give_up();
  unsigned count = suspensions(share);
  while (!share.exceeds(figures(10'000, others, 2))) count += suspensions(share);
  return count;
}

TEST(FiberShare, DoublesTheJobsStartedAloneUpTo256) {
  FiberShare share;
  ASSERT_TRUE(share.exceeds(figures(10'000, 0, 2)));
  for (unsigned jobs = 1; jobs <= 256; jobs *= 2) EXPECT_EQ(alone(share, 0), jobs);
  EXPECT_EQ(alone(share, 0), 256u);
}

TEST(FiberShare, OffersAgainAtTheNextLookIfOtherWorkersTakePart) {
  FiberShare share;
  ASSERT_TRUE(share.exceeds(figures(10'000, 0, 2)));
  for (unsigned jobs = 1; jobs <= 128; jobs *= 2) alone(share, 0);
  EXPECT_EQ(alone(share, 1), 1u);  // not 256
  EXPECT_EQ(alone(share, 1), 1u);
  EXPECT_EQ(alone(share, 1), 2u);
}

TEST(FiberShare, CountsNoFibersThatComeAndGoAsPart) {
  FiberShare share;
  ASSERT_FALSE(share.exceeds(figures(1'000, 900, 2)));
  ASSERT_TRUE(share.exceeds(figures(2'000, 500, 2)));
  EXPECT_FALSE(share.has_grown());
  ASSERT_TRUE(share.exceeds(figures(2'000, 900, 2)));
  EXPECT_FALSE(share.has_grown());
  ASSERT_TRUE(share.exceeds(figures(2'000, 901, 2)));
  EXPECT_TRUE(share.has_grown());
}

TEST(FiberShare, NamesTheWorkerWithTheFewestFibers) {
  FiberShare::Fibers fibers;
  fibers.add(0, 5);
  fibers.add(2, 3);
  fibers.add(3, 3);
  EXPECT_EQ(fibers.workers, 3u);
  EXPECT_EQ(fibers.least, 2u);
}

}  // namespace
}  // namespace jobs::detail
