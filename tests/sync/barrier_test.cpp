// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/sync/barrier.hpp"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <functional>
#include <memory>

#include "tests/support/scale.hpp"
#include "tests/sync/threads.hpp"

namespace {

using jobs::test::kLong;
using jobs::test::kShort;
using jobs::test::threads;

struct Count {
  int* completions;
  void operator()() const noexcept { ++*completions; }
};

// One contract for two types: std::barrier validates the tests, jobs::Barrier is under test.
template <class B>
struct BarrierContract : testing::Test {
  int completions = 0;
  B make(int expected) { return B(expected, Count{&completions}); }
};

using Barriers = testing::Types<std::barrier<Count>, jobs::Barrier<Count>>;
struct BarrierNames {
  template <class B>
  static const char* GetName(int) {
    return std::is_same_v<B, jobs::Barrier<Count>> ? "jobs" : "std";
  }
};
TYPED_TEST_SUITE(BarrierContract, Barriers, BarrierNames);

TYPED_TEST(BarrierContract, APhaseEndsWithItsLastArrival) {
  auto barrier = std::make_unique<TypeParam>(3, Count{&this->completions});
  auto first = barrier->arrive();
  EXPECT_EQ(this->completions, 0);
  auto others = barrier->arrive(2);
  EXPECT_EQ(this->completions, 1);
  barrier->wait(std::move(first));
  barrier->wait(std::move(others));
}

TYPED_TEST(BarrierContract, ADroppedThreadIsNotExpectedAgain) {
  auto barrier = std::make_unique<TypeParam>(2, Count{&this->completions});
  barrier->arrive_and_drop();
  barrier->arrive_and_wait();
  barrier->arrive_and_wait();
  EXPECT_EQ(this->completions, 2);
}

// No party is a phase ahead. The completion function runs alone, between the phases.
TYPED_TEST(BarrierContract, KeepsThePartiesInStep) {
  constexpr std::size_t kParties = 4;
  const int phases = jobs::test::scaled(200);  // std::barrier spins for a long time
  TypeParam barrier(kParties, Count{&this->completions});
  std::array<int, kParties>
      phase{};  // not atomic: the thread sanitizer checks what the barrier promises
  const auto parties = threads(kParties, [&](std::size_t index) {
    for (int round = 1; round <= phases; ++round) {
      phase[index] = round;
      barrier.arrive_and_wait();
      EXPECT_EQ(this->completions, 2 * round - 1);
      for (int other : phase) EXPECT_EQ(other, round);
      barrier.arrive_and_wait();
    }
  });
}

TEST(Barrier, TimedWaitGivesUpAndTheArrivalStays) {
  jobs::Barrier<> barrier(2);
  const auto token = barrier.arrive();
  EXPECT_FALSE(barrier.wait_for(token, kShort));
  const std::jthread last([&] { static_cast<void>(barrier.arrive()); });
  EXPECT_TRUE(barrier.wait_for(token, kLong));
}

// A party that sleeps through the next phase as well still learns that its own phase has ended.
TEST(Barrier, ATokenOfAnEarlierPhasePasses) {
  jobs::Barrier<> barrier(1);
  const auto token = barrier.arrive();
  for (int phase = 0; phase < 3; ++phase) {
    barrier.arrive_and_wait();
    EXPECT_TRUE(barrier.wait_for(token, std::chrono::seconds(0)));
  }
}

TEST(Barrier, MayBeDestroyedAsSoonAsAllHavePassed) {
  for (int round = 0; round < 2000; ++round) {
    auto* const barrier = new jobs::Barrier<>(2);
    const std::jthread last([barrier] { static_cast<void>(barrier->arrive()); });
    barrier->arrive_and_wait();
    delete barrier;
  }
}

}  // namespace
