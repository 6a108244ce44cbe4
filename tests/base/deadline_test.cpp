// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/base/deadline.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "jobs/error.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::detail::deadline_after;
using jobs::detail::kPoll;
using jobs::detail::to_deadline;
using jobs::os::kNever;

using Real = std::chrono::duration<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Deadline, NothingOrLessIsAPoll) {
  EXPECT_EQ(to_deadline(0ns), kPoll);
  EXPECT_EQ(to_deadline(-1ns), kPoll);
  EXPECT_EQ(to_deadline(std::chrono::nanoseconds::min()), kPoll);
  EXPECT_EQ(to_deadline(std::chrono::hours::min()), kPoll);
  EXPECT_EQ(to_deadline(Real(-kInfinity)), kPoll);
  EXPECT_EQ(to_deadline(std::chrono::steady_clock::time_point::min()), kPoll);
  EXPECT_EQ(to_deadline(std::chrono::system_clock::now() - 1h), kPoll);
}

TEST(Deadline, BeyondTheClockIsNever) {
  EXPECT_EQ(to_deadline(std::chrono::nanoseconds::max()), kNever);
  EXPECT_EQ(to_deadline(std::chrono::hours::max()), kNever);
  EXPECT_EQ(to_deadline(Real(1e300)), kNever);
  EXPECT_EQ(to_deadline(Real(kInfinity)), kNever);
  EXPECT_EQ(to_deadline(std::chrono::steady_clock::time_point::max()), kNever);
  EXPECT_EQ(to_deadline(std::chrono::sys_time<Real>(Real(kInfinity))), kNever);
}

TEST(Deadline, NotANumberIsAnError) {
  EXPECT_THROW(static_cast<void>(to_deadline(Real(kNan))), jobs::Error);
  EXPECT_THROW(static_cast<void>(to_deadline(std::chrono::sys_time<Real>(Real(kNan)))),
               jobs::Error);
  try {
    static_cast<void>(to_deadline(Real(kNan)));
  } catch (const jobs::Error& error) {
    EXPECT_EQ(error.code(), jobs::ErrorCode::kBadArgument);
    EXPECT_STREQ(error.what(), "jobs: a timeout is not a number (NaN)");
  }
}

TEST(Deadline, IsExactAndRoundedUp) {
  EXPECT_EQ(deadline_after(1000, 234), 1234);
  EXPECT_EQ(deadline_after(1000, 0.25L), 1001);
  EXPECT_EQ(deadline_after(kNever - 2, 1), kNever - 1);
  EXPECT_EQ(deadline_after(kNever - 2, 2), kNever);
}

TEST(Deadline, OfTheSteadyClockIsItsOwnTime) {
  const auto when = std::chrono::steady_clock::now() + 1h;
  EXPECT_EQ(to_deadline(when), std::chrono::nanoseconds(when.time_since_epoch()).count());
}

TEST(Deadline, OfAnotherClockIsAsFarAway) {
  const auto before = jobs::os::now();
  const auto deadline = to_deadline(std::chrono::system_clock::now() + 1h);
  const auto hour = std::chrono::nanoseconds(1h).count();
  EXPECT_GT(deadline, before + hour - 1'000'000'000);
  EXPECT_LT(deadline, jobs::os::now() + hour + 1'000'000'000);
}

}  // namespace
