// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Each case ends a process of its own. The process starts anew, so that its environment selects the
// kind of guard.
#include "jobs/fiber/overflow.hpp"

#include <alloca.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "jobs/base/sanitizer.hpp"
#include "tests/fiber/test_host.hpp"

namespace jobs::detail {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestHost;

// Runs `body` on a fiber named "mesh-build" of a worker that handles overflows.
void run_on_fiber(void (*body)(), const char* name = "mesh-build") {
  TestHost host;
  const AlternateSignalStack signal_stack;
  install_overflow_handler();
  host.spawn([] {});  // gives the next fiber a number other than 1
  host.spawn(body).name = name;
  host.run();
}

JOBS_NOINLINE int recurse(volatile const bool* stop) {
  volatile char frame[512];
  frame[0] = 1;
  return *stop ? 0 : recurse(stop) + frame[0];
}

void recurse_for_ever() {
  volatile const bool stop = false;
  recurse(&stop);
}

// Far larger than the guard and the memory below it: only probes within the frame reach the guard.
void take_a_huge_frame() {
  volatile std::size_t size = 2 * testing::kTestStackSize;
  auto* frame = static_cast<volatile char*>(alloca(size));
  frame[0] = 1;
}

// An access through a null pointer to a struct; UndefinedBehaviorSanitizer would detect an access
// to null itself first.
void dereference_null() {
  volatile std::uintptr_t nowhere = 64;
  *reinterpret_cast<volatile int*>(nowhere) = 1;
}

class OverflowDeathTest : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    setenv("JOBS_STACK_GUARD", GetParam(), 1);
  }
  void TearDown() override { unsetenv("JOBS_STACK_GUARD"); }
};

constexpr const char* kMessage =
    "jobs: fiber 2 \"mesh-build\" overflowed its 256 KiB stack \\(worker 3\\)";

TEST_P(OverflowDeathTest, RecursionNamesTheFiber) {
  EXPECT_DEATH(run_on_fiber(recurse_for_ever), kMessage);
}

TEST_P(OverflowDeathTest, FrameLargerThanTheGuardNamesTheFiber) {
  EXPECT_DEATH(run_on_fiber(take_a_huge_frame), kMessage);
}

// A terminal must obey no byte of the name, and the name must not look like another message.
constexpr const char* kHostileName = "\x1b[2J\n\xff\" overflowed";
constexpr const char* kHostileNameEscaped = "fiber 2 \"\\\\x1b\\[2J\\\\n\\\\xff\\\\\" overflowed\"";

TEST_P(OverflowDeathTest, EscapesTheName) {
  EXPECT_DEATH(run_on_fiber(recurse_for_ever, kHostileName),
               kHostileNameEscaped + std::string(" overflowed its 256 KiB"));
  static const std::string endless(10'000, 'x');
  EXPECT_DEATH(run_on_fiber(recurse_for_ever, endless.c_str()),
               "\"x{97}\\.\\.\\.\" overflowed its 256 KiB stack \\(worker 3\\)\n");
}

TEST_P(OverflowDeathTest, NullPointerStaysAPlainCrash) {
  EXPECT_DEATH(run_on_fiber(dereference_null), Not(HasSubstr("overflowed")));
}

TEST_P(OverflowDeathTest, SentSignalStaysAPlainCrash) {
  EXPECT_DEATH(run_on_fiber([] { raise(SIGSEGV); }), Not(HasSubstr("overflowed")));
}

void exit_with_7(int) { _exit(7); }

void set_own_action() {
  struct sigaction action = {};
  action.sa_handler = exit_with_7;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
}

TEST_P(OverflowDeathTest, EarlierActionOfTheProgramStillRuns) {
  EXPECT_EXIT((set_own_action(), run_on_fiber(dereference_null)), ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT((set_own_action(), run_on_fiber(recurse_for_ever)), ::testing::ExitedWithCode(7),
              kMessage);
}

INSTANTIATE_TEST_SUITE_P(Guards, OverflowDeathTest, ::testing::Values("probed", "mprotect"),
                         [](const auto& guard) { return std::string(guard.param); });

// --- exceptions and exits that reach the bottom of a fiber ---

TEST(FiberEntryDeathTest, ExceptionAbortsWithItsText) {
  EXPECT_DEATH(run_on_fiber([] { throw std::runtime_error("no mesh"); }),
               "an exception left its entry: no mesh \\[fiber 2 \"mesh-build\", worker 3\\]");
  EXPECT_DEATH(run_on_fiber([] { throw std::runtime_error("\x1b[2J\n"); }, kHostileName),
               "left its entry: \\\\x1b\\[2J\\\\n \\[" + std::string(kHostileNameEscaped) +
                   ", worker 3\\]\n");
  EXPECT_DEATH(run_on_fiber([] { throw 1; }), "an exception left its entry \\[fiber 2");
}

#if !defined(JOBS_TSAN)  // it does not survive pthread_exit() on a fiber
TEST(FiberEntryDeathTest, EndOfTheThreadAborts) {
  EXPECT_DEATH(run_on_fiber([] { pthread_exit(nullptr); }),
               "ended its thread.*fiber 2 \"mesh-build\"");
}
#endif

TEST(AlternateSignalStack, KeepsTheOneThatTheThreadHas) {
  stack_t before;
  {
    const AlternateSignalStack outer;
    sigaltstack(nullptr, &before);
    const AlternateSignalStack inner;
    stack_t now;
    sigaltstack(nullptr, &now);
    EXPECT_EQ(now.ss_sp, before.ss_sp);
  }
}

}  // namespace
}  // namespace jobs::detail
