// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// UniqueFunction: the place of the target, its moves, its destruction.
#include "jobs/base/unique_function.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/allocation_count.hpp"

namespace {

using jobs::detail::UniqueFunction;
using jobs::test::allocation_count;
using jobs::test::allocations_in;

using Action = UniqueFunction<void()>;

static_assert(sizeof(Action) == 64);
static_assert(sizeof(UniqueFunction<int(int), 128>) == 128);
static_assert(Action::kCapacity == 56);
static_assert(!std::is_copy_constructible_v<Action> && !std::is_copy_assignable_v<Action>);
static_assert(std::is_nothrow_move_constructible_v<Action> &&
              std::is_nothrow_move_assignable_v<Action>);
static_assert(!std::is_constructible_v<UniqueFunction<int()>, void (*)()>,
              "the result must convert");
static_assert(!std::is_constructible_v<Action, int>);

// Prevents the compiler from removing an allocation together with its release.
void keep(void* object) { asm volatile("" : : "r"(object) : "memory"); }

// Counts the constructions and destructions of targets of one kind.
struct Tally {
  int made = 0;
  int destroyed = 0;
};

template <std::size_t kBytes, bool kNothrowMove = true>
class Target {
 public:
  explicit Target(Tally& tally) : tally_(&tally) { ++tally_->made; }
  Target(Target&& other) noexcept(kNothrowMove) : tally_(other.tally_), calls_(other.calls_) {
    ++tally_->made;
  }
  ~Target() { ++tally_->destroyed; }
  int operator()() { return ++calls_; }

 private:
  Tally* tally_;
  int calls_ = 0;
  std::array<char, kBytes> ballast_{};
};

TEST(UniqueFunction, IsFalseWhenEmptyAndTrueWithATarget) {
  Action empty;
  EXPECT_FALSE(empty);
  const Action full = [] {};
  EXPECT_TRUE(full);
}

TEST(UniqueFunction, PassesArgumentsAndResultsOn) {
  UniqueFunction<std::unique_ptr<int>(std::unique_ptr<int>, int)> add = [](std::unique_ptr<int> a,
                                                                           int b) {
    *a += b;
    return a;
  };
  EXPECT_EQ(*add(std::make_unique<int>(40), 2), 42);
}

TEST(UniqueFunction, PassesReferencesOnWithoutCopies) {
  UniqueFunction<int&(int&)> same = [](int& value) -> int& { return value; };
  int value = 0;
  EXPECT_EQ(&same(value), &value);
}

TEST(UniqueFunction, DropsTheResultWhereTheSignatureSaysVoid) {
  int calls = 0;
  Action action = [&calls] { return ++calls; };
  action();
  EXPECT_EQ(calls, 1);
}

TEST(UniqueFunction, CallsFunctionPointersAndMembers) {
  UniqueFunction<int(const char*)> parse = +[](const char* text) { return std::stoi(text); };
  EXPECT_EQ(parse("17"), 17);
  UniqueFunction<std::size_t(const std::string&)> length = &std::string::size;
  EXPECT_EQ(length("four"), 4u);
}

TEST(UniqueFunction, KeepsAMutableTargetBetweenCalls) {
  UniqueFunction<int()> count = [calls = 0]() mutable { return ++calls; };
  count();
  EXPECT_EQ(count(), 2);
}

TEST(UniqueFunction, HoldsWhatCannotBeCopied) {
  UniqueFunction<int()> read = [value = std::make_unique<int>(7)] { return *value; };
  UniqueFunction<int()> moved = std::move(read);
  EXPECT_EQ(moved(), 7);
}

TEST(UniqueFunction, AllocatesNothingForWhatFits) {
  std::array<char, Action::kCapacity> largest{};
  EXPECT_EQ(allocations_in([&] {
              Action action = [largest] { static_cast<void>(largest); };
              action();
              Action moved = std::move(action);
              moved();
            }),
            0u);
}

TEST(UniqueFunction, AllocatesOnceForWhatDoesNotFit) {
  std::array<char, Action::kCapacity + 1> too_large{};
  const auto live = allocation_count().live();
  EXPECT_EQ(allocations_in([&] {
              Action action = [too_large] { static_cast<void>(too_large); };
              keep(&action);
              Action moved = std::move(action);  // transfers the block
              moved();
            }),
            1u);
  EXPECT_EQ(allocation_count().live(), live);
}

TEST(UniqueFunction, AllocatesForWhatMayThrowWhenMoved) {
  Tally tally;
  EXPECT_EQ(allocations_in([&] {
              UniqueFunction<int()> function = Target<1, false>(tally);
              keep(&function);
            }),
            1u);
  EXPECT_EQ(tally.made, tally.destroyed);
}

TEST(UniqueFunction, RespectsTheAlignmentOfItsTarget) {
  struct alignas(16) Vector {
    std::uintptr_t operator()() const { return reinterpret_cast<std::uintptr_t>(this) % 16; }
  };
  struct alignas(32) Wide {
    std::uintptr_t operator()() const { return reinterpret_cast<std::uintptr_t>(this) % 32; }
  };
  static_assert(Action::kInside<Vector> && !Action::kInside<Wide>);
  for (int i = 0; i < 16; ++i) {
    UniqueFunction<std::uintptr_t()> inside = Vector{};
    UniqueFunction<std::uintptr_t()> outside = Wide{};
    EXPECT_EQ(inside(), 0u);
    EXPECT_EQ(outside(), 0u);
  }
}

template <class T>
class UniqueFunctionTarget : public testing::Test {};
using Targets = testing::Types<Target<1>, Target<100>, Target<1, false>>;
TYPED_TEST_SUITE(UniqueFunctionTarget, Targets);

TYPED_TEST(UniqueFunctionTarget, IsDestroyedOnceAfterAnyNumberOfMoves) {
  Tally tally;
  {
    UniqueFunction<int()> first = TypeParam(tally);
    EXPECT_EQ(first(), 1);
    std::vector<UniqueFunction<int()>> grown;
    grown.push_back(std::move(first));
    EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): checks that it is empty
    for (int i = 0; i < 10; ++i) grown.emplace_back(TypeParam(tally));
    EXPECT_EQ(grown.front()(), 2);
    EXPECT_EQ(tally.made - tally.destroyed, 11);
  }
  EXPECT_EQ(tally.made, tally.destroyed);
}

TYPED_TEST(UniqueFunctionTarget, IsDestroyedWhenAnotherIsAssigned) {
  Tally old_tally, new_tally;
  UniqueFunction<int()> function = TypeParam(old_tally);
  function = UniqueFunction<int()>(TypeParam(new_tally));
  EXPECT_EQ(old_tally.made, old_tally.destroyed);
  EXPECT_EQ(new_tally.made, new_tally.destroyed + 1);
  EXPECT_EQ(function(), 1);
  function = {};
  EXPECT_FALSE(function);
  EXPECT_EQ(new_tally.made, new_tally.destroyed);
}

TYPED_TEST(UniqueFunctionTarget, LeavesAValidObjectWhenMovedToItself) {
  Tally tally;
  UniqueFunction<int()> function = TypeParam(tally);
  auto& alias = function;
  function = std::move(alias);
  function = [] { return 5; };
  EXPECT_EQ(function(), 5);
  EXPECT_EQ(tally.made, tally.destroyed);
}

TEST(UniqueFunction, LetsTheExceptionOfItsTargetThrough) {
  Action action = [] { throw std::runtime_error("thrown by the target"); };
  EXPECT_THROW(action(), std::runtime_error);
  EXPECT_THROW(action(), std::runtime_error) << "the target is still there";
}

template <std::size_t kBytes>
struct ThrowsWhenCopied {
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied&) { throw std::runtime_error("copy"); }
  ThrowsWhenCopied(ThrowsWhenCopied&&) noexcept {}
  void operator()() const {}
  std::array<char, kBytes> ballast{};
};

TEST(UniqueFunction, LeaksNothingWhenItsTargetCannotBeCopied) {
  const ThrowsWhenCopied<1> small;
  const ThrowsWhenCopied<100> big;
  const auto make = [](const auto& target) {
    try {
      Action action(target);
      return false;
    } catch (const std::runtime_error&) {
      return true;
    }
  };
  const auto live = allocation_count().live();
  EXPECT_TRUE(make(small));
  EXPECT_TRUE(make(big));
  EXPECT_EQ(allocation_count().live(), live);
}

TEST(UniqueFunctionDeathTest, AbortsWithALineWhenCalledEmpty) {
  Action empty;
  EXPECT_DEATH(empty(), "^jobs: call of an empty UniqueFunction\n$");
  UniqueFunction<int()> moved_from = [] { return 1; };
  const auto taken = std::move(moved_from);
  EXPECT_DEATH(moved_from(),
               "^jobs: call of an empty UniqueFunction\n$");  // NOLINT(bugprone-use-after-move)
}

}  // namespace
