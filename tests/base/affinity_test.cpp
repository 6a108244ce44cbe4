// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The affinity mask of the calling thread.
#include "jobs/base/affinity.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <thread>

namespace {

TEST(Affinity, NamesAscendingCpusOfThisMachine) {
  const auto cpus = jobs::os::affinity_cpus();
  ASSERT_FALSE(cpus.empty());
  EXPECT_TRUE(std::is_sorted(cpus.begin(), cpus.end()));
  EXPECT_LE(cpus.size(), jobs::os::online_cpus());
}

TEST(Affinity, FollowsTheMaskOfTheCallingThread) {
  const auto all = jobs::os::affinity_cpus();
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(all.back(), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    EXPECT_EQ(jobs::os::affinity_cpus(), std::vector{all.back()});
  }).join();
  EXPECT_EQ(jobs::os::affinity_cpus(), all);
}

}  // namespace
