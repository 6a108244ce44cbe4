// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ten thousand schedulers, one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "jobs/base/random.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/in_time.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/thread_state.hpp"

namespace {

using jobs::detail::Random;

constexpr int kSchedulers = jobs::test::kSanitized ? 300 : 10'000;

std::size_t mapping_count() {
  std::ifstream maps("/proc/self/maps");
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(maps), std::istreambuf_iterator<char>(), '\n'));
}

void live_once(Random& random) {
  const jobs::SchedulerOptions options{.worker_count = 1 + random.below(4),
                                       .bind_caller = random.below(4) == 0};
  jobs::Scheduler scheduler(options);
  switch (random.below(4)) {
    case 0:
      break;  // stopped before its workers have started to search
    case 1:
      ASSERT_EQ(scheduler.run([] { return 1; }), 1);
      break;
    case 2: {
      std::atomic<int> sum{0};
      scheduler.run([&] {
        for (int i = 0; i < 10; ++i) {
          jobs::spawn([&sum] {
            jobs::Counter done;
            jobs::spawn(done, [&sum] { ++sum; });
            done.wait();
          });
        }
      });
      scheduler.shutdown();
      ASSERT_EQ(sum, 10);
      break;
    }
    case 3: {
      const auto [a, b] =
          scheduler.run([] { return jobs::fork_join([] { return 1; }, [] { return 2; }); });
      ASSERT_EQ(a + b, 3);
      break;
    }
  }
}

TEST(StartStop, LeavesNothingBehind) {
  SCOPED_TRACE(jobs::test::replay());
  Random random(jobs::test::seed());
  const std::size_t threads = jobs::test::thread_count();
  for (int i = 0; i < 100; ++i) live_once(random);  // permanent memory is allocated by now
  const std::size_t mappings = mapping_count();
  const std::size_t descriptors = jobs::test::open_descriptors();
  const std::size_t resident = jobs::test::resident_kib();
  const std::uint64_t live = jobs::test::allocation_count().live();
  for (int i = 0; i < kSchedulers; ++i) {
    live_once(random);
    if (HasFatalFailure()) FAIL() << "scheduler " << i;
  }
  EXPECT_TRUE(
      jobs::test::is_true_in_time([threads] { return jobs::test::thread_count() <= threads; }));
  const std::size_t noise =
      jobs::test::kUnderThreadSanitizer ? 200 : 20;  // the sanitizer maps memory of its own
  EXPECT_LE(mapping_count(), mappings + noise) << "stacks are left";
  EXPECT_EQ(jobs::test::open_descriptors(), descriptors);
  if (!jobs::test::kSanitized) {  // a sanitizer has memory of its own
    EXPECT_LE(jobs::test::resident_kib(), resident + 8 * 1024);
  }
  if (!HasFailure()) {
    EXPECT_EQ(jobs::test::allocation_count().live(), live);
  }
}

TEST(StartStop, GoesOnAtTheSameTimeInSeveralThreads) {
  SCOPED_TRACE(jobs::test::replay());
  std::vector<std::jthread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      Random random(jobs::test::seed() + t);
      for (int i = 0; i < kSchedulers / 20; ++i) live_once(random);
    });
  }
}

}  // namespace
