// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Random: the published sequence, and the uniformity that the choice of victims needs.
#include "jobs/base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace {

using jobs::detail::Random;

static_assert(sizeof(Random) == 8);
static_assert([] {
  Random a(1), b(1);
  return a.next() == b.next() && a.next() == b.next();
}());

TEST(Random, GivesDifferentSequencesForNeighbouringSeeds) {
  std::set<std::uint32_t> firsts;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) firsts.insert(Random(seed).next());
  EXPECT_GE(firsts.size(), 999u);
}

TEST(Random, IsNotStuckForAnySeed) {
  // Minus the constant that is added to the seed.
  constexpr std::uint64_t kScrambledToZero = 0x61c8864680b583ebu;
  Random random(kScrambledToZero);
  EXPECT_NE(random.next(), random.next());
}

TEST(Random, StaysBelowItsBound) {
  Random random(7);
  for (std::uint32_t bound : {1u, 2u, 3u, 4096u, 0xffffffffu}) {
    for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(bound), bound);
  }
}

TEST(Random, ChoosesEachOfAFewAboutEquallyOften) {
  constexpr int kRounds = 300'000;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Random random(seed);
    std::array<int, 3> count{};
    for (int i = 0; i < kRounds; ++i) ++count[random.below(3)];
    for (const int c : count)
      EXPECT_NEAR(c, kRounds / 3, 1300) << "seed " << seed;  // five standard deviations
  }
}

TEST(Random, HasNoShortMemory) {
  Random random(3);
  std::array<std::array<int, 4>, 4> pairs{};
  std::uint32_t last = random.below(4);
  constexpr int kRounds = 160'000;
  for (int i = 0; i < kRounds; ++i) {
    const std::uint32_t next = random.below(4);
    ++pairs[last][next];
    last = next;
  }
  for (const auto& row : pairs) {
    for (const int c : row) EXPECT_NEAR(c, kRounds / 16, 500);
  }
}

}  // namespace
