// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Stacks of Fibers: their sizes, the code that runs on them, the error if none is left, their
// measurement and their release.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "jobs/base/sanitizer.hpp"
#include "jobs/jobs.hpp"
#include "tests/support/resident.hpp"
#include "tests/support/use_stack.hpp"

namespace jobs {
namespace {

constexpr std::size_t kKiB = 1024;
#if defined(JOBS_ASAN) || defined(JOBS_TSAN)
constexpr bool kIsExact = false;  // with a sanitizer, frames are larger, or lie elsewhere
#else
constexpr bool kIsExact = true;
#endif

using test::use_stack;

ErrorCode code_of(std::size_t stack_size) {
  try {
    Fiber<> fiber([] {}, {.stack_size = stack_size});
    fiber.join();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{};
}

TEST(FiberStack, OfAnImpossibleSizeIsRefused) {
  Scheduler scheduler({.worker_count = 1});
  scheduler.run([] {
    for (const std::size_t size :
         {std::size_t{1}, 16 * kKiB - 1, 1024 * 1024 * kKiB + 1, SIZE_MAX}) {
      EXPECT_THROW(Fiber<>([] {}, {.stack_size = size}).join(), Error) << size;
    }
    EXPECT_EQ(code_of(SIZE_MAX), ErrorCode::kBadArgument);
    for (const std::size_t size :
         {16 * kKiB, 16 * kKiB + 1, 64 * kKiB, 1024 * kKiB, 1024 * kKiB + 1}) {
      EXPECT_NO_THROW(Fiber<>([] {}, {.stack_size = size}).join()) << size;
    }
  });
}

// Small stacks run fibers only: the stack space of a job does not depend on the previous use of its
// stack.
TEST(FiberStack, OfTheSmallClassRunsNoJobs) {
  for (const bool now : {false, true}) {
    Scheduler scheduler({.worker_count = 1});
    scheduler.run([&] {
      const auto start = now ? FiberStart::kNow : FiberStart::kLater;
      Event go;
      Counter done;
      std::vector<Fiber<>> fibers;
      for (int i = 0; i < 50; ++i) {
        fibers.emplace_back(
            [&] {
              go.wait();
              for (int j = 0; j < 2; ++j) spawn(done, [] { use_stack(128 * kKiB); });
            },
            FiberOptions{.stack_size = 16 * kKiB, .start = start});
      }
      yield();
      go.signal();
      for (Fiber<>& fiber : fibers) fiber.join();
      done.wait();
    });
  }
}

TEST(FiberStack, OfEachSizeHoldsWhatItPromises) {
  Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    for (const std::size_t size : {16 * kKiB, 64 * kKiB, 256 * kKiB, 1024 * kKiB, 2048 * kKiB}) {
      std::vector<Fiber<>> fibers;
      for (int i = 0; i < 4; ++i) {
        fibers.emplace_back(
            [size] {
              yield();
              use_stack(size / 2);
              yield();
            },
            FiberOptions{.stack_size = size});
      }
      for (Fiber<>& fiber : fibers) fiber.join();
    }
  });
}

TEST(FiberStack, CountsForMaxFibersWhateverItsSize) {
  Scheduler scheduler({.worker_count = 1, .max_fibers = 6});
  scheduler.run([] {
    Event go;
    std::vector<Fiber<>> fibers;
    std::string message;
    try {
      while (fibers.size() < 100) {
        fibers.emplace_back([&] { go.wait(); },
                            FiberOptions{.stack_size = 16 * kKiB, .start = FiberStart::kNow});
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kNoStack);
      message = error.what();
    }
    EXPECT_NE(message.find("max_fibers = 6"), std::string::npos) << message;
    EXPECT_GE(fibers.size(), 3u);
    EXPECT_LT(fibers.size(), 6u);
    go.signal();
    for (Fiber<>& fiber : fibers) fiber.join();  // none is lost
  });
}

TEST(FiberStack, ThatCannotBeHadIsThatOfAJob) {
  Scheduler scheduler({.worker_count = 1, .max_fibers = 2});
  scheduler.run([] {
    int ran = 0;
    std::vector<Fiber<>> fibers;
    for (int i = 0; i < 10; ++i)
      fibers.emplace_back([&] { ++ran; }, FiberOptions{.stack_size = 16 * kKiB});
    for (Fiber<>& fiber : fibers) fiber.join();
    EXPECT_EQ(ran, 10);
  });
}

TEST(FiberStack, OfAnotherSizeThatIsIdleIsGivenUpAtTheLimit) {
  Scheduler scheduler({.worker_count = 1, .max_fibers = 4});
  scheduler.run([] {
    for (int round = 0; round < 3; ++round) {
      for (const std::size_t size : {16 * kKiB, 64 * kKiB, 512 * kKiB, 4096 * kKiB}) {
        Event go;
        Fiber<> first([&] { go.wait(); }, {.stack_size = size, .start = FiberStart::kNow});
        Fiber<> second([&] { go.signal(); }, {.stack_size = size, .start = FiberStart::kNow});
        first.join();
        second.join();
      }
    }
  });
}

TEST(FiberStack, OfAWorkerThatHasTooManyGoesBack) {
  Scheduler scheduler({.worker_count = 1, .max_idle_stacks = 8});
  scheduler.run([] {
    Event go;
    std::vector<Fiber<>> fibers;
    for (int i = 0; i < 100; ++i) {
      fibers.emplace_back([&] { go.wait(); },
                          FiberOptions{.stack_size = 16 * kKiB, .start = FiberStart::kNow});
    }
    go.signal();
    for (Fiber<>& fiber : fibers) fiber.join();
  });
  EXPECT_LE(scheduler.stats().fibers, 8u + 8u);
}

#if !defined(JOBS_ASAN) && !defined(JOBS_TSAN)  // many stacks need minutes and much memory there
std::size_t max_mappings() {
  std::size_t count = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> count;
  return count;
}

// Blocks fibers until there are `count`, or until no stack is left. Returns their number and the
// text of the error.
std::pair<std::size_t, std::string> block_many(std::size_t count) {
  Event go;
  std::vector<Fiber<>> fibers;
  std::size_t resumed = 0;
  std::string message;
  try {
    for (std::size_t i = 0; i < count; ++i) {
      fibers.emplace_back(
          [&] {
            go.wait();
            ++resumed;
          },
          FiberOptions{.stack_size = 16 * kKiB, .start = FiberStart::kNow});
    }
  } catch (const Error& error) {
    message = error.what();
  }
  go.signal();
  for (Fiber<>& fiber : fibers) fiber.join();
  EXPECT_EQ(resumed, fibers.size());
  return {resumed, message};
}

[[noreturn]] void run_out_of_mappings() {
  std::pair<std::size_t, std::string> guarded;
  {
    Scheduler scheduler({.worker_count = 1});
    guarded = scheduler.run([] { return block_many(max_mappings()); });
  }
  Scheduler scheduler({.worker_count = 1, .guard_stacks = false});
  const auto unguarded = scheduler.run([] { return block_many(max_mappings() / 2 + 1); });
  std::fprintf(stderr, "%s; unguarded: %s\n", guarded.second.c_str(),
               unguarded.second.empty() ? "all" : unguarded.second.c_str());
  const std::size_t resumed = guarded.first;
  std::_Exit(resumed > max_mappings() / 4 && resumed < max_mappings() / 2 ? 0 : 1);
}

TEST(FiberStackDeathTest, LosesNoFiberWhenMappingsEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (max_mappings() > 100'000) GTEST_SKIP() << "vm.max_map_count is " << max_mappings();
  setenv("JOBS_STACK_GUARD", "mprotect", 1);
  EXPECT_EXIT(run_out_of_mappings(), ::testing::ExitedWithCode(0),
              "no stack.*vm.max_map_count is [0-9]+; raise it.*unguarded: all");
  unsetenv("JOBS_STACK_GUARD");
}
#endif

// --- measuring ----------------------------------------------------------------------------------

StackUse use_of_line(const Scheduler& scheduler, unsigned line) {
  for (const StackUse& use : scheduler.stack_use()) {
    if (use.line == line) {
      EXPECT_NE(use.file.find("stack_test.cpp"), std::string::npos) << use.file;
      return use;
    }
  }
  return {};
}

TEST(StackUse, IsNotMeasuredUnlessAskedFor) {
  Scheduler scheduler({.worker_count = 1});
  scheduler.run([] { Fiber<>([] {}).join(); });
  EXPECT_TRUE(scheduler.stack_use().empty());
}

TEST(StackUse, IsThatOfTheDeepestFiberOfItsSite) {
  if (!kIsExact) GTEST_SKIP();
  for (const std::size_t size : {std::size_t{0}, 64 * kKiB, 1024 * kKiB}) {
    Scheduler scheduler({.worker_count = 2, .measure_stacks = 1});
    scheduler.run([&] {
      use_stack(100 * kKiB);  // of the job; it belongs to no fiber
      for (const std::size_t depth : {2 * kKiB, 40 * kKiB, 20 * kKiB}) {
        Fiber<> fiber(
            [depth] {
              use_stack(depth);
              yield();
            },
            {.stack_size = size});
        fiber.join();
      }
    });
    ASSERT_EQ(scheduler.stack_use().size(), 1u);
    const StackUse use = scheduler.stack_use()[0];
    EXPECT_EQ(use.fibers, 3u);
    EXPECT_EQ(use.measured, 3u);
    EXPECT_GE(use.peak, 40 * kKiB);
    EXPECT_LE(use.peak, 49 * kKiB);
    EXPECT_EQ(use.stack_size, 256 * kKiB);
  }
}

TEST(StackUse, DistinguishesSites) {
  Scheduler scheduler({.worker_count = 1, .measure_stacks = 1});
  unsigned line = 0;
  scheduler.run([&] {
    line = __LINE__ + 1;
    Fiber<>([] {}).join();
    Fiber<>([] {}).join();
    FiberGroup group;
    group.start([] {});
    group.wait();
  });
  EXPECT_EQ(scheduler.stack_use().size(), 3u);
  for (unsigned i : {0u, 1u, 3u}) EXPECT_EQ(use_of_line(scheduler, line + i).fibers, 1u) << i;
}

TEST(StackUse, IsMeasuredOfTheFirstOnesAndThenOfSome) {
  Scheduler scheduler({.worker_count = 1, .measure_stacks = 50});
  scheduler.run([] {
    for (int i = 0; i < 200; ++i) Fiber<>([] {}).join();
  });
  ASSERT_EQ(scheduler.stack_use().size(), 1u);
  EXPECT_EQ(scheduler.stack_use()[0].fibers, 200u);
  EXPECT_EQ(scheduler.stack_use()[0].measured, 16u + 3u);
}

TEST(StackUse, ChoosesTheSizeOfItsSite) {
  if (!kIsExact) GTEST_SKIP();
  Scheduler scheduler({.worker_count = 1, .automatic_stacks = true});
  const auto run_some = [&](std::size_t depth, int count) {
    scheduler.run([&] {
      for (int i = 0; i < count; ++i) {
        Fiber<> fiber([depth] {
          use_stack(depth);
          yield();
        });
        fiber.join();
      }
    });
  };
  const auto size = [&] { return scheduler.stack_use().at(0).stack_size; };
  run_some(256, 15);
  EXPECT_EQ(size(), 256 * kKiB);  // too few samples
  run_some(256, 1);
  EXPECT_EQ(size(), 16 * kKiB);
  run_some(256, 48);
  run_some(10 * kKiB, 1);  // the 65th, which is measured
  EXPECT_EQ(size(), 64 * kKiB);
  run_some(256, 63);
  run_some(38 * kKiB, 1);
  EXPECT_EQ(size(), 64 * kKiB);
  run_some(256, 63);
  run_some(50 * kKiB, 1);
  EXPECT_EQ(size(), 256 * kKiB);
}

// The default argument of the site belongs to the line of the standard library that constructs the
// Fiber. All Fibers that a container constructs have this site, whatever they need.
TEST(StackUse, ChoosesNoSizeForFibersThatTheStandardLibraryCreates) {
  if (!kIsExact) GTEST_SKIP();
  Scheduler scheduler({.worker_count = 1, .automatic_stacks = true});
  scheduler.run([] {
    for (int i = 0; i < 20; ++i) {
      std::vector<Fiber<>> fibers;
      fibers.emplace_back([] { yield(); });
      fibers.back().join();
    }
  });
  ASSERT_EQ(scheduler.stack_use().size(), 1u);
  const StackUse small = scheduler.stack_use()[0];
  EXPECT_EQ(small.fibers, 20u);
  EXPECT_EQ(small.measured, 16u);
  EXPECT_EQ(small.stack_size, 256 * kKiB) << small.file;
  scheduler.run([] {
    std::vector<Fiber<>> fibers;
    fibers.emplace_back([] { use_stack(100 * kKiB); });
    fibers.back().join();
  });
}

TEST(StackUseDeathTest, StandsInTheMessageOfAnOverflow) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Scheduler scheduler({.worker_count = 1, .measure_stacks = 1});
        scheduler.run([] {
          for (const std::size_t depth : {std::size_t{1024}, 400 * kKiB}) {
            Fiber<> fiber([depth] { use_stack(depth); }, {.name = "deep", .stack_size = 64 * kKiB});
            fiber.join();
          }
        });
      },
      "fiber [0-9]+ \"deep\" overflowed its 64 KiB stack \\(worker 0\\), created at "
      ".*stack_test.cpp:[0-9]+, "
      "where [0-9]+ KiB were the most so far");
}

// --- trim ---------------------------------------------------------------------------------------

TEST(Trim, GivesTheMemoryOfIdleStacksBack) {
  if (!kIsExact) GTEST_SKIP() << "a sanitizer has memory of its own";
  constexpr int kFibers = 400;
  constexpr std::size_t kDepth = 200 * kKiB;
  for (const std::size_t max_idle : {2u, 1000u}) {
    for (const bool at_once : {false, true}) {
      Scheduler scheduler({.worker_count = 2, .max_idle_stacks = max_idle, .trim_stacks = at_once});
      scheduler.run([] {
        Event go;
        std::vector<Fiber<>> fibers;
        for (int i = 0; i < kFibers; ++i) {
          fibers.emplace_back(
              [&] {
                use_stack(kDepth);
                go.wait();
              },
              FiberOptions{.start = FiberStart::kNow});
        }
        go.signal();
        for (Fiber<>& fiber : fibers) fiber.join();
      });
      const std::size_t before = test::resident_kib();
      if (!(at_once && max_idle == 2)) scheduler.trim();
      const std::size_t after = test::resident_kib();
      if (at_once && max_idle == 2) {
        EXPECT_LT(after, kFibers * kDepth / kKiB / 2);
      } else {
        EXPECT_GT(before, after + kFibers * (kDepth / kKiB) / 2);
      }
      scheduler.run([] { Fiber<>([] { use_stack(kDepth); }).join(); });
    }
  }
}

TEST(Trim, MayBeCalledByAJobAndKeepsWhatWaits) {
  Scheduler scheduler({.worker_count = 2});
  scheduler.run([&] {
    Event go;
    std::vector<Fiber<int>> fibers;
    for (int i = 0; i < 20; ++i) {
      fibers.emplace_back(
          [&go, i] {
            volatile int kept = i;
            go.wait();
            return int{kept};
          },
          FiberOptions{.stack_size = i % 2 == 0 ? 16 * kKiB : 0, .start = FiberStart::kNow});
    }
    scheduler.trim();
    scheduler.trim(3);
    go.signal();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(fibers[static_cast<std::size_t>(i)].join(), i);
  });
}

TEST(Trim, OfAStoppedSchedulerThrows) {
  Scheduler scheduler({.worker_count = 1});
  scheduler.shutdown();
  EXPECT_THROW(scheduler.trim(), Error);
}

}  // namespace
}  // namespace jobs
