// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The sample points have the distribution of (0,2)-sequences and are functions of their coordinates
// only.
#include "samples/frames/sampler.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace frames {
namespace {

// The definition: one direction number per bit.
std::uint32_t sobol_second_by_definition(std::uint32_t index) {
  std::uint32_t result = 0;
  for (std::uint32_t direction = 1u << 31; index != 0; index >>= 1, direction ^= direction >> 1) {
    if ((index & 1) != 0) result ^= direction;
  }
  return result;
}

TEST(Sampler, SobolInFiveStepsIsSobolByDefinition) {
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const std::uint32_t index = sampling::hashed(i);
    ASSERT_EQ(sampling::sobol_second(index), sobol_second_by_definition(index)) << index;
  }
}

TEST(Sampler, SixteenPointsFallIntoSixteenDifferentCellsOfEachShape) {
  for (int pixel = 0; pixel < 50; ++pixel) {
    for (const auto& [across, down] : {std::pair{16, 1}, {8, 2}, {4, 4}, {2, 8}, {1, 16}}) {
      std::set<std::pair<int, int>> cells;
      for (int sample = 0; sample < 16; ++sample) {
        const Pair point = Sampler(pixel, 3, sample).next_pair();
        cells.emplace(static_cast<int>(point.u * static_cast<float>(across)),
                      static_cast<int>(point.v * static_cast<float>(down)));
      }
      EXPECT_EQ(cells.size(), 16u) << "pixel " << pixel << ", cells " << across << " x " << down;
    }
  }
}

TEST(Sampler, SingleNumbersAreSpreadEvenlyToo) {
  std::set<int> cells;
  for (int sample = 0; sample < 64; ++sample)
    cells.insert(static_cast<int>(Sampler(5, 6, sample).next() * 64));
  EXPECT_EQ(cells.size(), 64u);
}

TEST(Sampler, DimensionsArePairedDifferently) {
  // If two dimensions shared their order, their points would lie on few lines.
  std::set<std::pair<int, int>> cells;
  for (int sample = 0; sample < 256; ++sample) {
    Sampler sampler(1, 2, sample);
    const float first = sampler.next();
    cells.emplace(static_cast<int>(first * 16), static_cast<int>(sampler.next() * 16));
  }
  EXPECT_GT(cells.size(), 120u);
}

TEST(Sampler, NeighbouringPixelsDiffer) {
  EXPECT_NE(Sampler(10, 20, 0).next(), Sampler(11, 20, 0).next());
  EXPECT_NE(Sampler(10, 20, 0).next(), Sampler(10, 21, 0).next());
  EXPECT_NE(Sampler(10, 20, 0).next(), Sampler(20, 10, 0).next());
}

}  // namespace
}  // namespace frames
