// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Affinity: the masks of the calling thread and of other threads.
#include "jobs/base/affinity.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

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

TEST(Affinity, ExcludesACpuFromAnotherThreadAndIncludesItAgain) {
  const auto all = jobs::os::affinity_cpus();
  if (all.size() < 2) GTEST_SKIP() << "one CPU";
  std::promise<jobs::os::ThreadId> started;
  std::promise<void> excluded;
  std::thread other([&] {
    started.set_value(jobs::os::thread_id());
    excluded.get_future().wait();
    EXPECT_EQ(jobs::os::affinity_cpus(), std::vector(all.begin() + 1, all.end()));
    jobs::os::include_cpu(all.front());
    EXPECT_EQ(jobs::os::affinity_cpus(), all);
  });
  jobs::os::CpuMask before;
  EXPECT_TRUE(jobs::os::exclude_cpu(started.get_future().get(), all.front(), before));
  excluded.set_value();
  other.join();
}

TEST(Affinity, RestoresTheMaskOfAnotherThread) {
  const auto all = jobs::os::affinity_cpus();
  if (all.size() < 2) GTEST_SKIP() << "one CPU";
  std::promise<jobs::os::ThreadId> started;
  std::promise<void> restored;
  std::thread other([&] {
    started.set_value(jobs::os::thread_id());
    restored.get_future().wait();
    EXPECT_EQ(jobs::os::affinity_cpus(), all);
  });
  const jobs::os::ThreadId thread = started.get_future().get();
  jobs::os::CpuMask before;
  EXPECT_TRUE(jobs::os::exclude_cpu(thread, all.back(), before));
  const jobs::os::ThreadId threads[] = {thread};
  EXPECT_EQ(jobs::os::affinity_of(threads), all.size() - 1);
  jobs::os::set_mask(thread, before);
  restored.set_value();
  other.join();
}

TEST(Affinity, LeavesAThreadItsLastCpu) {
  std::thread([] {
    const unsigned only = jobs::os::affinity_cpus().front();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(only, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    jobs::os::CpuMask before;
    EXPECT_FALSE(jobs::os::exclude_cpu(jobs::os::thread_id(), only, before));
    EXPECT_EQ(jobs::os::affinity_cpus(), std::vector{only});
  }).join();
}

}  // namespace
