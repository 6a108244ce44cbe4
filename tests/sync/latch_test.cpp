// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/latch.hpp"

#include <gtest/gtest.h>

#include <array>
#include <latch>

#include "tests/sync/threads.hpp"

namespace {

using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::threads;

// One contract for two types: std::latch validates the tests, jobs::Latch is under test.
template <class L>
struct LatchContract : testing::Test {};

using Latches = testing::Types<std::latch, jobs::Latch>;
struct LatchNames {
  template <class L>
  static const char* GetName(int) {
    return std::is_same_v<L, jobs::Latch> ? "jobs" : "std";
  }
};
TYPED_TEST_SUITE(LatchContract, Latches, LatchNames);

TYPED_TEST(LatchContract, OpensWhenAllStepsAreCountedDown) {
  TypeParam latch(3);
  latch.count_down();
  EXPECT_FALSE(latch.try_wait());
  latch.count_down(0);
  EXPECT_FALSE(latch.try_wait());
  latch.count_down(2);
  latch.wait();
  latch.wait();
}

TYPED_TEST(LatchContract, IsOpenIfNothingIsExpected) { TypeParam(0).wait(); }

TYPED_TEST(LatchContract, EverybodySeesWhatEverybodyDid) {
  constexpr std::size_t kParties = 4;
  for (int round = 0; round < 500; ++round) {
    TypeParam latch(kParties);
    std::array<int, kParties>
        data{};  // not atomic: the thread sanitizer checks what the wait promises
    const auto parties = threads(kParties, [&](std::size_t index) {
      data[index] = 1;
      latch.arrive_and_wait();
      int sum = 0;
      for (int value : data) sum += value;
      EXPECT_EQ(sum, int{kParties});
    });
  }
}

TEST(Latch, CountDownTellsTheLastCaller) {
  jobs::Latch latch(4);
  EXPECT_FALSE(latch.count_down(2));
  EXPECT_FALSE(latch.count_down());
  EXPECT_FALSE(latch.count_down(0));
  EXPECT_TRUE(latch.count_down());
  EXPECT_FALSE(latch.count_down(0));
}

TEST(Latch, TimedWaitGivesUp) {
  jobs::Latch latch(1);
  EXPECT_FALSE(latch.wait_for(kShort));
  const std::jthread last([&] { latch.count_down(); });
  EXPECT_TRUE(latch.wait_for(kLong));
}

}  // namespace
