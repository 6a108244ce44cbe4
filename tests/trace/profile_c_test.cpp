// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Profiles of programs in C: the functions of the program have their times, and not those of the
// library that call them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>

#include "jobs/c/jobs.h"
#include "jobs/profile.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::trace::Profile;
using jobs::trace::ProfilePlace;

constinit std::atomic<unsigned> indices{0};

void compute_for(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) continue;
}

void compute_in_c(void* /*data*/) { compute_for(100us); }
void compute_a_range_in_c(void* /*data*/, std::int64_t begin, std::int64_t end) {
  indices += static_cast<unsigned>(end - begin);
}
void compute_a_task_in_c(std::int32_t begin, std::int32_t end, std::uint32_t /*thread*/,
                         void* /*context*/) {
  indices += static_cast<unsigned>(end - begin);
}
void run_a_loop(void* scheduler) {
  EXPECT_EQ(jobs_parallel_for(static_cast<jobs_scheduler*>(scheduler), 0, 8, 1,
                              &compute_a_range_in_c, nullptr),
            JOBS_OK);
}

ProfilePlace find(const Profile& profile, std::string_view name) {
  for (const ProfilePlace& place : profile.functions()) {
    if (place.name.find(name) != std::string::npos) return place;
  }
  return {};
}

class ProfileOfC : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override {
    indices = 0;
    jobs_scheduler_options options = {};
    options.size = sizeof options;
    options.worker_count = GetParam();
    ASSERT_EQ(jobs_scheduler_create(&options, &scheduler_), JOBS_OK);
  }
  // A job counts at its end, which comes after the end of its waiter. So the workers end first.
  void stop() {
    ASSERT_EQ(jobs_scheduler_destroy(scheduler_), JOBS_OK);
    profile_.stop();
  }

  Profile profile_;
  jobs_scheduler* scheduler_ = nullptr;
};
INSTANTIATE_TEST_SUITE_P(Workers, ProfileOfC, testing::Values(1, 2, 4, 16));

TEST_P(ProfileOfC, NamesTheFunctionsOfJobs) {
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(jobs_spawn(scheduler_, &compute_in_c, nullptr, nullptr), JOBS_OK);
  ASSERT_EQ(jobs_run(scheduler_, &compute_in_c, nullptr), JOBS_OK);
  stop();
  EXPECT_EQ(find(profile_, "compute_in_c").count, 11u);
  EXPECT_GE(find(profile_, "compute_in_c").total, 990us);
}

TEST_P(ProfileOfC, NamesTheFunctionsOfLoops) {
  ASSERT_EQ(jobs_run(scheduler_, &run_a_loop, scheduler_), JOBS_OK);
  stop();
  EXPECT_EQ(indices, 8u);
  EXPECT_EQ(find(profile_, "run_a_loop").count, 1u);
  EXPECT_EQ(find(profile_, "compute_a_range_in_c").count, 8u);
}

// The thread that waits for the task may run a part of it, which no worker's profile has.
TEST_P(ProfileOfC, NamesTheFunctionsOfTasks) {
  void* const task = jobs_enqueue_task(&compute_a_task_in_c, 8, 1, nullptr, scheduler_);
  while (indices != 8) std::this_thread::yield();
  jobs_finish_task(task, nullptr);
  stop();
  EXPECT_GE(find(profile_, "compute_a_task_in_c").count, 8u);
}

}  // namespace
