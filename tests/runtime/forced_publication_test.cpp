// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The budget of forced publications, without forced publications. The test sets the times.
#include "jobs/runtime/parking/forced_publication.hpp"

#include <gtest/gtest.h>

namespace {

using jobs::detail::ForcedPublicationBudget;
constexpr auto kPause = ForcedPublicationBudget::kPause;

TEST(ForcedPublicationBudget, AllowsOneInEachPause) {
  ForcedPublicationBudget budget;
  EXPECT_TRUE(budget.take(1'000'000));
  budget.record(true, 1'000'000);
  EXPECT_FALSE(budget.take(1'000'000));
  EXPECT_FALSE(budget.take(1'000'000 + kPause - 1));
  EXPECT_TRUE(budget.take(1'000'000 + kPause));
}

TEST(ForcedPublicationBudget, DoublesItsPauseWhenNothingIsFound) {
  ForcedPublicationBudget budget;
  jobs::os::Nanoseconds now = 1'000'000;
  for (const auto pause : {2 * kPause, 4 * kPause, 8 * kPause, 8 * kPause}) {
    ASSERT_TRUE(budget.take(now));
    budget.record(false, now);
    EXPECT_FALSE(budget.take(now + pause - 1));
    now += pause;
  }
  EXPECT_EQ(ForcedPublicationBudget::kLongestPause, 8 * kPause);
}

TEST(ForcedPublicationBudget, IsResetAfterAForcedPublicationThatFoundAJob) {
  ForcedPublicationBudget budget;
  ASSERT_TRUE(budget.take(1'000'000));
  budget.record(false, 1'000'000);
  ASSERT_TRUE(budget.take(2'000'000));
  budget.record(true, 2'000'000);
  ASSERT_TRUE(budget.take(2'000'000 + kPause));
  budget.record(false, 2'000'000 + kPause);
  EXPECT_TRUE(budget.take(2'000'000 + kPause + 2 * kPause));
}

}  // namespace
