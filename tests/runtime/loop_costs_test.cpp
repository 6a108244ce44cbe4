// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopCosts: what a loop expects of its iterations before it has measured one.
#include "jobs/runtime/job/loop_costs.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using jobs::detail::LoopCosts;

// Loops by their address, as the code of loops. The first and the last share a slot.
constexpr std::array<char, 65> kLoops{};

TEST(LoopCosts, ExpectAnUnknownLoopToBeExpensive) {
  const LoopCosts costs;
  EXPECT_EQ(costs.expected(&kLoops[0]), LoopCosts::kUnknown);
}

TEST(LoopCosts, KnowTheLastCostOfEachLoop) {
  LoopCosts costs;
  costs.learn(&kLoops[0], 10);
  costs.learn(&kLoops[1], 2'000);
  EXPECT_EQ(costs.expected(&kLoops[0]), 10);
  EXPECT_EQ(costs.expected(&kLoops[1]), 2'000);
  costs.learn(&kLoops[1], 100);
  EXPECT_EQ(costs.expected(&kLoops[1]), 100);
}

TEST(LoopCosts, BelieveAHigherCostInHalf) {
  LoopCosts costs;
  costs.learn(&kLoops[0], 10);
  costs.learn(&kLoops[0], 1'010);
  EXPECT_EQ(costs.expected(&kLoops[0]), 510);
}

TEST(LoopCosts, ExpectALoopToBeFreeWhoseSlotAnotherOneHas) {
  LoopCosts costs;
  costs.learn(&kLoops[0], 2'000);
  EXPECT_EQ(costs.expected(&kLoops[64]), 0);
  costs.learn(&kLoops[64], 3'000);
  EXPECT_EQ(costs.expected(&kLoops[64]), 3'000);
  EXPECT_EQ(costs.expected(&kLoops[0]), 0);
}

}  // namespace
