// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Properties of the simulated scheduler that hold for any costs.
#include "bench/scaling/simulator.hpp"

#include <gtest/gtest.h>

namespace {

using namespace bench::scaling;

constexpr Costs kFree{.fork = 0,
                      .take_shared = 0,
                      .share = 0,
                      .clean = 1,
                      .near = 0,
                      .far = 0,
                      .rmw = 0,
                      .fiber = 0,
                      .heavy_fence = 0,
                      .fenced = 0,
                      .futex = 0,
                      .wake = 0};

Setting setting(unsigned workers, Shape shape, bool spinning) {
  return {.workers = workers,
          .leaf_ns = 1'000,
          .leaves = std::int64_t{workers} * 1'000,
          .shape = shape,
          .spinning = spinning};
}

TEST(Simulator, OneWorkerTakesTheSumOfAll) {
  const Costs costs;
  const Result tree = simulate(costs, setting(1, Shape::kTree, true));
  EXPECT_DOUBLE_EQ(tree.time_ns, 1'000 * 1'000.0 + 999 * costs.fork);
  EXPECT_EQ(tree.thefts, 0u);
}

TEST(Simulator, NobodyIsFasterThanTheWork) {
  for (const Shape shape : {Shape::kTree, Shape::kLoop}) {
    for (const bool spinning : {false, true}) {
      for (const unsigned workers : {1u, 2u, 3u, 17u, 64u}) {
        for (const Costs& costs : {Costs{}, kFree}) {
          const Result result = simulate(costs, setting(workers, shape, spinning));
          EXPECT_LE(result.efficiency, 1.0);
          EXPECT_GT(result.efficiency, 0.5)
              << workers << " workers, " << (spinning ? "hot" : "cold");
        }
      }
    }
  }
}

TEST(Simulator, CostsCost) {
  Costs slow;
  slow.near = slow.far = 2'000;
  for (const Shape shape : {Shape::kTree, Shape::kLoop}) {
    EXPECT_LT(simulate(slow, setting(64, shape, true)).efficiency,
              simulate(Costs{}, setting(64, shape, true)).efficiency);
  }
}

TEST(Simulator, RepeatsItself) {
  const Result first = simulate(Costs{}, setting(16, Shape::kTree, false));
  const Result second = simulate(Costs{}, setting(16, Shape::kTree, false));
  EXPECT_EQ(first.time_ns, second.time_ns);
  EXPECT_EQ(first.wakes, second.wakes);
  EXPECT_GE(first.wakes, 15u);
}

}  // namespace
