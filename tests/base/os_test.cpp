// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/base/os.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "jobs/base/asymmetric_fence.hpp"

namespace jobs::os {
namespace {

constexpr Nanoseconds kMillisecond = 1'000'000;

TEST(Clock, IsThatOfSteadyClock) {
  const auto steady = [] {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const Nanoseconds before = steady();
  const Nanoseconds time = now();
  EXPECT_LE(before, time);
  EXPECT_LE(time, steady());
}

// The test holds however long the system suspends this thread between two readings.
TEST(Clock, IsQuickerToReadAndGoesOnAsFast) {
  struct Look {
    Nanoseconds before = now();
    Nanoseconds quick = quick_now();
    Nanoseconds after = now();
  };
  static_cast<void>(quick_now());
  const Look first;
  while (now() < first.after + 5 * kMillisecond) {
  }
  const Look last;
  const auto shown = static_cast<double>(last.quick - first.quick);
  EXPECT_GE(shown, 0.95 * static_cast<double>(last.before - first.after));
  EXPECT_LE(shown, 1.05 * static_cast<double>(last.after - first.before));
}

TEST(Futex, TimesOutAtItsDeadline) {
  const detail::Atomic<std::uintptr_t> word{1};
  const Nanoseconds deadline = now() + 5 * kMillisecond;
  while (futex_wait(word, 1, deadline)) {
  }
  EXPECT_GE(now(), deadline);
  EXPECT_FALSE(futex_wait(word, 1, 0));
  EXPECT_FALSE(futex_wait(word, 1, -1));
}

TEST(Futex, DoesNotSleepOnAnotherValue) {
  const detail::Atomic<std::uintptr_t> word{1};
  EXPECT_TRUE(futex_wait(word, 2, kNever));
}

TEST(Futex, ComparesTheLowHalfOfTheWord) {
  const detail::Atomic<std::uintptr_t> word{(std::uintptr_t{7} << 32) + 1};
  EXPECT_FALSE(futex_wait(word, (std::uintptr_t{8} << 32) + 1, now() + kMillisecond));
}

TEST(Futex, WakesASleeper) {
  detail::Atomic<std::uintptr_t> word{0};
  std::thread sleeper([&] {
    while (word.load(std::memory_order_acquire) == 0) futex_wait(word, 0, kNever);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  word.store(1, std::memory_order_release);
  futex_wake(&word);
  sleeper.join();
}

TEST(Membarrier, CanBeCalledWhereItIsOffered) {
  if (!has_membarrier()) GTEST_SKIP() << "the kernel refuses it";
  membarrier();
}

TEST(FatalErrorDeathTest, PrintsOneLineIfSeveralThreadsFail) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (int round = 0; round < 10; ++round) {
    EXPECT_EXIT(
        {
          std::barrier start(8);
          std::vector<std::jthread> threads;
          for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&start] {
              start.arrive_and_wait();
              fatal_error("jobs: planted\n");
            });
          }
        },
        testing::KilledBySignal(SIGABRT), testing::Eq("jobs: planted\n"));
  }
}

TEST(AsymmetricFenceDeathTest, IsOffWhenTheEnvironmentSaysSo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // starts the program anew
  setenv("JOBS_FENCED", "1", 1);
  EXPECT_EXIT(std::_Exit(detail::kAsymmetric ? 1 : 0), ::testing::ExitedWithCode(0), "");
  unsetenv("JOBS_FENCED");
  EXPECT_EXIT(std::_Exit(detail::kAsymmetric == has_membarrier() ? 0 : 1),
              ::testing::ExitedWithCode(0), "");
}

class Guard : public ::testing::TestWithParam<GuardKind> {
 protected:
  void SetUp() override {
    if (GetParam() == GuardKind::kLightweight && guard_kind() != GuardKind::kLightweight) {
      GTEST_SKIP() << "this kernel has no lightweight guards";
    }
    base_ = reserve_pages(3 * page_size());
    ASSERT_NE(base_, nullptr);
    ASSERT_TRUE(install_guard(base_, page_size(), GetParam()));
  }
  void TearDown() override {
    if (base_ != nullptr) release_pages(base_, 3 * page_size());
  }

  std::byte* base_ = nullptr;
};

using GuardDeathTest = Guard;

TEST_P(GuardDeathTest, FaultsWhenTouchedAndOnlyThere) {
  base_[page_size()] = std::byte{1};
  EXPECT_DEATH(base_[page_size() - 1] = std::byte{1}, "");
}

TEST_P(GuardDeathTest, StaysWhenThePagesAreDiscarded) {
  base_[page_size()] = std::byte{1};
  discard_pages(base_, 3 * page_size());
  EXPECT_EQ(base_[page_size()], std::byte{0});
  EXPECT_DEATH(base_[0] = std::byte{1}, "");
}

TEST(Populate, MakesAllPagesResidentOrNone) {
  constexpr std::size_t kPages = 16;
  const std::size_t size = kPages * page_size();
  std::byte* const base = reserve_data(size);
  ASSERT_NE(base, nullptr);
  populate(base, size);
  const bool can = first_resident_page(base, size) == base;
  for (std::size_t i = 0; i < kPages; ++i) {
    std::byte* const page = base + i * page_size();
    EXPECT_EQ(first_resident_page(page, page_size()), can ? page : page + page_size()) << i;
    EXPECT_EQ(*page, std::byte{0});
  }
  release_pages(base, size);
  if (!can) GTEST_SKIP() << "the kernel has no MADV_POPULATE_WRITE, or first_resident_page()";
}

TEST_P(GuardDeathTest, CanBeMadeSeveralAtOnce) {
  constexpr std::size_t kCount = 70;  // more than fit into one call
  const std::size_t stride = 2 * page_size();
  std::byte* const base = reserve_pages(kCount * stride);
  ASSERT_NE(base, nullptr);
  ASSERT_EQ(install_guards(base, page_size(), stride, kCount, GetParam()), kCount);
  for (std::size_t i = 0; i < kCount; ++i) base[i * stride + page_size()] = std::byte{1};
  for (const std::size_t i : {std::size_t{0}, std::size_t{31}, std::size_t{32}, kCount - 1}) {
    EXPECT_DEATH(base[i * stride + page_size() - 1] = std::byte{1}, "") << i;
  }
  release_pages(base, kCount * stride);
}

INSTANTIATE_TEST_SUITE_P(Kinds, GuardDeathTest,
                         ::testing::Values(GuardKind::kLightweight, GuardKind::kProtected),
                         [](const auto& kind) {
                           return kind.param == GuardKind::kLightweight ? "Lightweight"
                                                                        : "Protected";
                         });

TEST(GuardKindDeathTest, CanBeForced) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("JOBS_STACK_GUARD", "mprotect", 1);
  EXPECT_EXIT(std::_Exit(guard_kind() == GuardKind::kProtected ? 0 : 1),
              ::testing::ExitedWithCode(0), "");
  unsetenv("JOBS_STACK_GUARD");
}

TEST(Pages, ComeIntoMemoryAheadWhereSeveralCanAtOnce) {
  constexpr std::size_t kCount = 40;
  const std::size_t stride = 3 * page_size();
  std::byte* const base = reserve_pages(kCount * stride);
  ASSERT_NE(base, nullptr);
  populate_pages(base + page_size(), stride, 1);
  EXPECT_EQ(first_resident_page(base, stride), base + stride) << "one fault costs no more";
  populate_pages(base + page_size(), stride, kCount);
  const bool can = first_resident_page(base, stride) != base + stride;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::byte* const first = base + i * stride;
    EXPECT_EQ(first_resident_page(first, stride), first + (can ? 1 : 3) * page_size());
    EXPECT_EQ(first_resident_page(first + 2 * page_size(), page_size()), first + stride)
        << "and no other page";
    EXPECT_EQ(first[page_size()], std::byte{0});
  }
  release_pages(base, kCount * stride);
  if (!can) GTEST_SKIP() << "this kernel has no such call (before Linux 6.15)";
}

TEST(Pages, CanBeRefused) { EXPECT_EQ(reserve_pages(std::size_t{1} << 60), nullptr); }

TEST(Pages, HaveALimitOfMappings) { EXPECT_GT(max_mappings(), 0u); }

TEST(Thread, TakesANameOfAnyLength) {
  std::thread([] {
    set_thread_name("worker-with-a-long-name");
    char name[64];
    pthread_getname_np(pthread_self(), name, sizeof name);
    EXPECT_STREQ(name, "worker-with-a-l");
  }).join();
}

TEST(Thread, IsNotPinnedToACpuThatDoesNotExist) {
  std::thread([] { EXPECT_FALSE(pin_thread(100'000)); }).join();
}

TEST(Thread, BlocksTheSignalsThatAreNotItsOwnFault) {
  std::thread([] {
    block_signals();
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    EXPECT_EQ(sigismember(&blocked, SIGINT), 1);
    EXPECT_EQ(sigismember(&blocked, SIGTERM), 1);
    EXPECT_EQ(sigismember(&blocked, SIGSEGV), 0);
    EXPECT_EQ(sigismember(&blocked, SIGABRT), 0);
  }).join();
}

}  // namespace
}  // namespace jobs::os
