// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::set_allocator() after the library has allocated: an error at the call, and no other effect.
#include <gtest/gtest.h>

#include <string>

#include "jobs/allocator.hpp"
#include "jobs/error.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/sync/channel.hpp"
#include "tests/support/counting_allocator.hpp"

namespace {

constinit jobs::test::CountingAllocator allocator;

void expect_refusal() {
  try {
    jobs::set_allocator(allocator);
    ADD_FAILURE() << "a late allocator was accepted";
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kStarted);
    EXPECT_NE(std::string(error.what()).find("call it first in main()"), std::string::npos);
  }
}

// Each test runs in a process of its own.
TEST(SetAllocatorLate, IsRefusedAfterAChannel) {
  {
    jobs::Channel<int> channel(1);
  }
  expect_refusal();
}

TEST(SetAllocatorLate, IsRefusedWhileASchedulerRuns) {
  jobs::Scheduler scheduler({.worker_count = 2});
  expect_refusal();
  EXPECT_EQ(scheduler.run([] { return 3; }), 3);
  EXPECT_EQ(allocator.allocated, 0u);
}

TEST(SetAllocatorLate, IsRefusedAfterAScheduler) {
  {
    jobs::Scheduler scheduler({.worker_count = 1});
  }
  expect_refusal();
}

}  // namespace
