// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoneJobs: when the habit is known, and what a mistake costs.
#include "jobs/runtime/parking/lone_jobs.hpp"

#include <gtest/gtest.h>

namespace {

using jobs::detail::LoneJobs;

constexpr jobs::os::Nanoseconds kLater = 10 * LoneJobs::kSearch;

void wake_in_vain(LoneJobs& jobs, unsigned times) {
  for (unsigned i = 0; i < times; ++i) jobs.woken_in_vain();
}

TEST(LoneJobs, AreUsualAtFirst) { EXPECT_TRUE(LoneJobs().are_usual()); }

TEST(LoneJobs, AreUsualAfterSomeWakeUpsInVain) {
  LoneJobs jobs;
  jobs.more_came();
  wake_in_vain(jobs, LoneJobs::kFirstTimes - 1);
  EXPECT_FALSE(jobs.are_usual());
  jobs.woken_in_vain();
  EXPECT_TRUE(jobs.are_usual());
}

TEST(LoneJobs, AreNotUsualIfASecondOneCame) {
  LoneJobs jobs;
  jobs.more_came();
  wake_in_vain(jobs, LoneJobs::kFirstTimes - 1);
  jobs.more_came();
  jobs.woken_in_vain();
  EXPECT_FALSE(jobs.are_usual());
}

TEST(LoneJobs, StayUsualIfTheNextOneComesLater) {
  LoneJobs jobs;
  jobs.left_alone(kLater);
  jobs.woken_by_push(kLater + LoneJobs::kSearch + 1);
  EXPECT_TRUE(jobs.are_usual());
}

TEST(LoneJobs, TakeMoreEvidenceAfterAMistake) {
  LoneJobs jobs;
  unsigned times = LoneJobs::kFirstTimes;
  for (int mistakes = 0; mistakes < 10; ++mistakes) {
    jobs.left_alone(kLater);
    jobs.woken_by_push(kLater + LoneJobs::kSearch);
    EXPECT_FALSE(jobs.are_usual());
    if (times < LoneJobs::kMostTimes) times *= LoneJobs::kCaution;
    wake_in_vain(jobs, times - 1);
    EXPECT_FALSE(jobs.are_usual());
    jobs.woken_in_vain();
    EXPECT_TRUE(jobs.are_usual());
  }
}

TEST(LoneJobs, AreTrustedAgainAfterManyWithoutAMistake) {
  LoneJobs jobs;
  unsigned times = LoneJobs::kFirstTimes;
  for (int mistakes = 0; mistakes < 3; ++mistakes) {
    jobs.left_alone(kLater);
    jobs.woken_by_push(kLater);
    times *= LoneJobs::kCaution;
    wake_in_vain(jobs, times);
  }
  for (unsigned i = 0; i < 5 * LoneJobs::kTimesForTrust; ++i) jobs.left_alone(kLater);
  jobs.woken_by_push(kLater);  // a mistake
  wake_in_vain(jobs, LoneJobs::kFirstTimes * LoneJobs::kCaution - 1);
  EXPECT_FALSE(jobs.are_usual());
  jobs.woken_in_vain();
  EXPECT_TRUE(jobs.are_usual());
}

}  // namespace
