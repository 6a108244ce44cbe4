// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopSlots: the initial shares of a loop, on synthetic machines of hwloc.
#include "jobs/runtime/parallel/loop_slots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "jobs/fiber/current.hpp"
#include "jobs/repeated_for.hpp"
#include "jobs/scheduler.hpp"
#include "tests/support/hybrid_machine.hpp"

namespace {

using jobs::detail::LoopSlots;

// The share of each worker; one thread takes them all. Empty: the shares do not cover the loop.
std::vector<std::uint64_t> shares(jobs::Scheduler& scheduler, std::uint64_t count) {
  return scheduler.run([count] {
    LoopSlots slots;
    slots.begin(*jobs::detail::this_context(), count, false, "test");
    std::vector<std::uint64_t> sizes;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const LoopSlots::Part part = slots.take(i, true);
      if (!part.is_empty() && part.begin != end) return std::vector<std::uint64_t>();
      sizes.push_back(part.end - part.begin);
      if (!part.is_empty()) end = part.end;
    }
    slots.end();
    return end == count ? sizes : std::vector<std::uint64_t>();
  });
}

TEST(LoopSlots, AreOfOneSizeOnOneKindOfCore) {
  for (const bool pinned : {false, true}) {
    jobs::Scheduler scheduler({.worker_count = 3, .pin_workers = pinned});
    EXPECT_EQ(shares(scheduler, 300), (std::vector<std::uint64_t>{100, 100, 100}));
    EXPECT_EQ(shares(scheduler, 302), (std::vector<std::uint64_t>{101, 101, 100}));
  }
}

// A remainder in one share would double the time of a loop of 31 iterations.
TEST(LoopSlots, DifferByOneIterationAtMost) {
  jobs::Scheduler scheduler({.worker_count = 16});
  for (const std::uint64_t count : {1u, 2u, 15u, 16u, 17u, 31u, 1000u}) {
    const std::vector<std::uint64_t> sizes = shares(scheduler, count);
    ASSERT_EQ(sizes.size(), 16u) << count;
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1u) << count;
  }
}

// 8 fast cores and 16 of half their speed.
int shares_on_hybrid_machine() {
  const jobs::test::HybridMachine machine("LinuxCapacity", "1024", "512");
  jobs::Scheduler pinned({.worker_count = 24, .pin_workers = true});
  std::vector<std::uint64_t> expected(24, 100);
  for (unsigned i = 0; i < 8; ++i) expected[i] = 200;
  if (shares(pinned, 3200) != expected) return 1;
  if (shares(pinned, 3).empty()) return 2;
  if (pinned.describe().find("fastest cores first") == std::string::npos) return 3;
  jobs::Scheduler elsewhere({.worker_count = 24});  // the CPUs of these workers are unknown
  if (shares(elsewhere, 2400) != std::vector<std::uint64_t>(24, 100)) return 4;

  // Whichever thread takes a share, the results are equal.
  std::vector<double> results[2];
  for (jobs::Scheduler* const scheduler : {&pinned, &elsewhere}) {
    std::vector<double>& values = results[scheduler == &pinned ? 0 : 1];
    values.assign(10'000, 1);
    scheduler->run([&] {
      jobs::StaticPartition partition;
      for (int step = 0; step < 3; ++step) {
        jobs::parallel_for(
            std::size_t{0}, values.size(),
            [&](std::size_t i) { values[i] = values[i] / 3 + static_cast<double>(i); }, partition);
      }
    });
  }
  return results[0] == results[1] ? 0 : 5;
}

TEST(LoopSlotsDeathTest, AreLargerForFasterCores) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_Exit(shares_on_hybrid_machine()), testing::ExitedWithCode(0), "");
}

}  // namespace
