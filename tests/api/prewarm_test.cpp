// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Scheduler::prewarm(): fibers find their stacks mapped, and a number beyond a limit is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"

namespace jobs {
namespace {

constexpr std::size_t kKiB = 1024;

using Mappings = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;

// The mappings of the process, in the order of their addresses.
Mappings mappings() {
  Mappings found;
  std::FILE* const file = std::fopen("/proc/self/maps", "re");
  if (file == nullptr) return found;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  while (std::fscanf(file, "%" SCNxPTR "-%" SCNxPTR "%*[^\n]", &begin, &end) == 2)
    found.emplace_back(begin, end);
  std::fclose(file);
  return found;
}

bool contains(const Mappings& found, std::uintptr_t address) {
  return std::any_of(found.begin(), found.end(), [address](const auto& mapping) {
    return mapping.first <= address && address < mapping.second;
  });
}

JOBS_NOINLINE std::uintptr_t frame() {
  return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}

// Starts fibers that all wait at a time. Returns how many run outside of `before`.
std::size_t run_outside(const Mappings& before, std::size_t fibers, std::size_t stack_size) {
  Event go;
  Latch arrived(fibers);
  std::vector<Fiber<std::uintptr_t>> all;
  for (std::size_t i = 0; i < fibers; ++i) {
    all.emplace_back(
        [&] {
          arrived.count_down();
          go.wait();
          return frame();
        },
        FiberOptions{.stack_size = stack_size});
  }
  arrived.wait();
  go.signal();
  std::size_t outside = 0;
  for (auto& fiber : all) outside += contains(before, fiber.join()) ? 0u : 1u;
  return outside;
}

class Prewarm : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Workers, Prewarm, testing::Values(1u, 2u, 4u, 16u));

// However the workers share the fibers. The job that waits for the fibers takes a stack, too.
TEST_P(Prewarm, MapsTheStacksOfLaterFibers) {
  constexpr std::size_t kFibers = 300;
  for (const std::size_t size : {std::size_t{0}, 16 * kKiB, 64 * kKiB, 1024 * kKiB}) {
    for (const bool prewarms : {true, false}) {
      Scheduler scheduler({.worker_count = GetParam()});
      if (prewarms) scheduler.prewarm(kFibers + 1, size);
      const Mappings before = mappings();
      ASSERT_FALSE(before.empty());
      const std::size_t outside = scheduler.run([&] { return run_outside(before, kFibers, size); });
      if (prewarms) {
        EXPECT_EQ(outside, 0u) << size;
      } else {
        EXPECT_GT(outside, kFibers / 2) << "the measurement finds new mappings";
      }
    }
  }
}

TEST_P(Prewarm, CanBeCalledByAJobAndByAnExternalThread) {
  Scheduler scheduler({.worker_count = GetParam()});
  scheduler.run([&] {
    Scheduler::current().prewarm(100);
    EXPECT_EQ(run_outside(mappings(), 99, 0), 0u);
  });
  const std::size_t fibers = scheduler.stats().fibers;
  std::thread([&] { scheduler.prewarm(200, 64 * kKiB); }).join();
  // A worker that starts late creates its first fiber.
  EXPECT_LE(scheduler.stats().fibers, fibers + GetParam()) << "a stack in reserve is no fiber";
}

TEST_P(Prewarm, ServesSeveralThreadsWhileFibersRun) {
  Scheduler scheduler({.worker_count = GetParam()});
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 3; ++i)
    threads.emplace_back([&scheduler, i] { scheduler.prewarm(100 * (i + 1)); });
  scheduler.run([] { run_outside({}, 200, 0); });
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Prewarm, OfABoundThreadNeedsNoWorkerThatRuns) {
  Scheduler scheduler({.worker_count = GetParam(), .bound_threads = GetParam()});
  scheduler.prewarm(50);
  const ThreadBinding binding = scheduler.bind_current_thread();
  EXPECT_EQ(run_outside(mappings(), 40, 0), 0u);
}

std::optional<Error> error_of(Scheduler& scheduler, std::size_t fibers, std::size_t stack_size) {
  try {
    scheduler.prewarm(fibers, stack_size);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

TEST_P(Prewarm, BeyondMaxFibersIsRefused) {
  const std::size_t max = GetParam() + 50;
  Scheduler scheduler({.worker_count = GetParam(), .max_fibers = max});
  const std::optional<Error> refused = error_of(scheduler, 51, 0);
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->code(), ErrorCode::kNoStack);
  const std::string what = refused->what();
  EXPECT_NE(what.find("prewarm(51)"), std::string::npos) << what;
  EXPECT_NE(what.find("max_fibers = " + std::to_string(max)), std::string::npos) << what;
  EXPECT_EQ(error_of(scheduler, SIZE_MAX, 64 * kKiB)->code(), ErrorCode::kNoStack);

  EXPECT_FALSE(error_of(scheduler, 50, 0).has_value()) << "the workers have the others";
  EXPECT_FALSE(error_of(scheduler, 50, 0).has_value()) << "stacks in reserve do not count";
  scheduler.run([&] { EXPECT_EQ(run_outside(mappings(), 49, 0), 0u); });
}

TEST(PrewarmErrors, OfAnImpossibleSizeOrAStoppedSchedulerIsRefused) {
  Scheduler scheduler({.worker_count = 1});
  EXPECT_EQ(error_of(scheduler, 1, 16 * kKiB - 1)->code(), ErrorCode::kBadArgument);
  EXPECT_EQ(error_of(scheduler, 1, SIZE_MAX)->code(), ErrorCode::kBadArgument);
  EXPECT_FALSE(error_of(scheduler, 0, 0).has_value());
  scheduler.shutdown();
  EXPECT_EQ(error_of(scheduler, 1, 0)->code(), ErrorCode::kStopped);
}

}  // namespace
}  // namespace jobs
