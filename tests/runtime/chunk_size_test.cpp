// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChunkSize: the chunk size that an automatic loop derives from the duration of its chunks.
#include "jobs/runtime/parallel/chunk_size.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using jobs::detail::ChunkSize;
using jobs::detail::kClockTime;
using jobs::detail::kWorthSharing;
using jobs::detail::kWorthWaking;

TEST(ChunkSize, KnowsNothingBeforeTheFirstChunk) {
  EXPECT_FALSE(ChunkSize::automatic().is_worth_sharing(1'000'000'000, kWorthSharing));
}

TEST(ChunkSize, DoesNotTakeTheTimeOfTheClockForWork) {
  ChunkSize size = ChunkSize::automatic();
  size.adapt(kClockTime, 1, 999);
  EXPECT_FALSE(size.is_worth_sharing(999, kWorthSharing));
  EXPECT_GT(size.iterations(), 1u);  // the loop continues with chunks of measurable length
}

TEST(ChunkSize, SharesWhatLooksLongEnough) {
  ChunkSize size = ChunkSize::automatic();
  size.adapt(kClockTime + 1'000, 1, 999);
  EXPECT_TRUE(size.is_worth_sharing(999, kWorthSharing));
  EXPECT_FALSE(size.is_worth_sharing(kWorthSharing / 1'000, kWorthSharing));
  EXPECT_FALSE(size.is_worth_sharing(1, 0));
  EXPECT_FALSE(size.is_worth_sharing(kWorthWaking / 1'000, kWorthWaking));
}

TEST(ChunkSize, AimsAtALengthAndIsHalvedBeyondIt) {
  ChunkSize size = ChunkSize::automatic();
  size.adapt(10, 1, 999);
  EXPECT_EQ(size.iterations(), 8u);
  size.adapt(2'000, 8, 1'000);
  EXPECT_EQ(size.iterations(), 16u);
  size.adapt(1'000'000, 16, 900);
  EXPECT_EQ(size.iterations(), 8u);
}

TEST(ChunkSize, ReliesOnAnExpectationBeforeTheFirstChunk) {
  ChunkSize size = ChunkSize::automatic();
  size.expect(0.5);
  EXPECT_EQ(size.cost(), ChunkSize::kUnmeasured);
  EXPECT_TRUE(size.is_worth_sharing(3 * kWorthSharing, kWorthSharing));
  EXPECT_FALSE(size.is_worth_sharing(kWorthSharing, kWorthSharing));
  size.expect(1'000'000);
  EXPECT_TRUE(size.is_worth_sharing(2, kWorthWaking));
  EXPECT_TRUE(size.measures(true)) << "also a chunk that is the whole part";
  size.adapt(kClockTime + 10, 1, 2);
  EXPECT_FALSE(size.measures(true));
  EXPECT_FALSE(size.is_worth_sharing(2, kWorthSharing));
  EXPECT_FLOAT_EQ(size.cost(), 10);
}

TEST(ChunkSize, KeepsAGivenOne) {
  const ChunkSize size = ChunkSize::fixed(10);
  EXPECT_EQ(size.stop(0, 100), 10u);
  EXPECT_EQ(size.stop(95, 100), 100u);
  EXPECT_TRUE(size.is_worth_sharing(11, kWorthSharing));
  EXPECT_FALSE(size.is_worth_sharing(10, kWorthSharing));
}

TEST(ChunkSize, LeavesTheOddIterationToTheOwner) {
  const ChunkSize size = ChunkSize::automatic();
  EXPECT_EQ(size.middle(1, 50), 26u);
  EXPECT_EQ(size.middle(0, 3), 2u);
  EXPECT_EQ(size.middle(0, 2), 1u);
}

TEST(ChunkSize, HalvesAtTheBeginOfAChunkOfAGivenOne) {
  const ChunkSize size = ChunkSize::fixed(10);
  EXPECT_EQ(size.middle(0, 40), 20u);
  EXPECT_EQ(size.middle(0, 39), 20u);
  EXPECT_EQ(size.middle(30, 45), 40u);
  EXPECT_EQ(size.middle(30, 41), 40u) << "neither half is empty";
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  EXPECT_EQ(ChunkSize::fixed(kMost - 1).middle(0, kMost), kMost - 1);
  EXPECT_EQ(ChunkSize::fixed(kMost / 2 + 2).middle(0, kMost), kMost / 2 + 2);
}

}  // namespace
