// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of tasks: a million of them wait at once, and their frames come from the allocator of
// the program.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstdio>

#include "jobs/coroutine.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "tests/support/sanitized.hpp"

namespace {

using jobs::Counter;
using jobs::Event;
using jobs::Task;

constexpr bool kMeasured = !jobs::test::kSanitized;
constexpr int kTasks = kMeasured ? 1'000'000 : 10'000;
constexpr std::size_t kMost = 400;  // bytes of a task that waits

Task<> wait_for(Event& event, int& begun, int& passed) {
  ++begun;
  co_await event;
  ++passed;
}

TEST(TaskMemory, AMillionTasksWait) {
  jobs::Scheduler scheduler({.worker_count = 1});
  scheduler.run([] {
    Event event;
    Counter counter;
    int begun = 0, passed = 0;
    const std::size_t before = mallinfo2().uordblks;
    for (int i = 0; i < kTasks; ++i) {
      jobs::start(counter, wait_for(event, begun, passed));
      if (i % 100 == 0) jobs::yield();  // so that the jobs that begin the tasks take few blocks
    }
    while (begun != kTasks) jobs::yield();
    if (kMeasured) {
      const std::size_t bytes = (mallinfo2().uordblks - before) / kTasks;
      std::printf("bytes of a task that waits: %zu\n", bytes);
      EXPECT_LE(bytes, kMost);
      EXPECT_GE(bytes, 100u) << "the tasks wait";
    }
    EXPECT_EQ(passed, 0);
    event.signal();
    counter.wait();
    EXPECT_EQ(passed, kTasks);
  });
}

}  // namespace
