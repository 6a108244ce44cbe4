// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Sandboxes: a seccomp filter refuses system calls, one by one and several together, from the
// start of the process, before the first scheduler, or later. The program works, gets exceptions
// with a text, or ends with one line. It never hangs or crashes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/queue/node_array.hpp"
#include "tests/hostile/child.hpp"
#include "tests/hostile/system_calls.hpp"
#include "tests/support/seccomp.hpp"
#include "tests/support/seed.hpp"

namespace jobs::test {
namespace {

constexpr unsigned kPatience = 60;  // seconds; the program takes 0.1 s
constexpr std::string_view kPoints[] = {"exec", "main", "later"};

using Calls = std::vector<std::string_view>;

Effect effect_of(const SystemCall& call, std::string_view point) {
  if (point == "exec") return call.at_exec;
  return point == "main" ? call.at_main : call.later;
}

// The endings that the effect allows.
bool allows(Effect effect, Ending ending) {
  switch (effect) {
    case Effect::kNone:
      return ending == Ending::kWorked;
    case Effect::kThrows:
      return ending == Ending::kWorked || ending == Ending::kRefused;
    case Effect::kEnds:
      return ending == Ending::kAborted;
    case Effect::kNotTried:
      break;
  }
  return false;
}

// Runs the program while the calls are refused, with each of the usual errors.
void expect_effect(const Calls& calls, std::string_view point, Effect effect) {
  if (effect == Effect::kNotTried) return;
  for (const int error : {EPERM, ENOSYS}) {
    std::vector<std::string> command{JOBS_TEST_HOSTILE_PROGRAM, "0", std::string(point),
                                     std::to_string(error)};
    command.insert(command.end(), calls.begin(), calls.end());
    const Outcome outcome = run_program(command, kPatience);
    if (outcome.ending == Ending::kSkipped) GTEST_SKIP() << outcome.output;
    std::string text = std::string(name_of(outcome.ending)) + ":";
    for (std::size_t i = 1; i < command.size(); ++i) text += " " + command[i];
    EXPECT_TRUE(allows(effect, outcome.ending)) << text << "\n" << outcome.output;
  }
}

class Denied : public testing::TestWithParam<SystemCall> {};

TEST_P(Denied, HasItsEffectAndNoOther) {
  for (const std::string_view point : kPoints)
    expect_effect({GetParam().name}, point, effect_of(GetParam(), point));
}

INSTANTIATE_TEST_SUITE_P(Call, Denied, testing::ValuesIn(kSystemCalls),
                         [](const auto& call) { return std::string(call.param.name); });

// The calls that the library can do without at the point.
Calls dispensable(std::string_view point) {
  Calls calls;
  for (const SystemCall& call : kSystemCalls) {
    // Without io_uring, jobs::io needs epoll and the kinds of descriptors.
    const bool replaces_io_uring = call.name.starts_with("epoll") || call.name == "newfstatat";
    if (effect_of(call, point) == Effect::kNone && !replaces_io_uring) calls.push_back(call.name);
  }
  return calls;
}

TEST(DeniedTogether, DispensableCallsHaveNoEffect) {
  for (const std::string_view point : kPoints)
    expect_effect(dispensable(point), point, Effect::kNone);
}

TEST(DeniedTogether, RandomDispensableCallsHaveNoEffect) {
  SCOPED_TRACE(replay());
  std::mt19937_64 random(seed());
  for (int round = 0; round < 12; ++round) {
    const std::string_view point = kPoints[static_cast<std::size_t>(round) % std::size(kPoints)];
    Calls calls = dispensable(point);
    std::ranges::shuffle(calls, random);
    calls.resize(2 + random() % (calls.size() - 2));
    expect_effect(calls, point, Effect::kNone);
  }
}

TEST(DeniedTogether, ThreadsAreRefusedByAnException) {
  for (const std::string_view point : kPoints)
    expect_effect({"clone", "clone3"}, point, Effect::kThrows);
}

TEST(DeniedTogether, BothDriversAreRefusedByAnExceptionOrALine) {
#if !defined(JOBS_TEST_WITH_IO)
  GTEST_SKIP() << "this build has no jobs::io";
#endif
  for (const std::string_view call : {"epoll_create1", "epoll_ctl"})
    expect_effect({"io_uring_setup", call}, "main", Effect::kThrows);
  expect_effect({"io_uring_setup", "epoll_wait"}, "main", Effect::kEnds);
}

// Thieves rely on the zeroes of a discarded ring.
TEST(NodeArrayDeathTest, KeepsItsElementsIfTheKernelRefusesToDiscardThem) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const detail::NodeArray<std::byte> bytes(std::size_t{1} << 20, os::kAnyNode);
        bytes[0] = std::byte{1};
        const long madvise = SYS_madvise;
        if (!deny({&madvise, 1}, EPERM)) std::_Exit(kSkippedStatus);
        std::_Exit(!bytes.discard() && bytes[0] == std::byte{1} ? 0 : 1);
      },
      [](int status) {
        return WIFEXITED(status) &&
               (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == kSkippedStatus);
      },
      "");
}

}  // namespace
}  // namespace jobs::test
