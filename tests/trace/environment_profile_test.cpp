// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JOBS_PROFILE: a profile of the whole run of a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "jobs/jobs.hpp"
#include "jobs/profile.hpp"
#include "tests/support/in_child.hpp"

namespace jobs::test {
namespace {

class ProfileVariableDeathTest : public testing::Test {
 protected:
  ProfileVariableDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void run_a_job() {
  Scheduler scheduler({.worker_count = 2});
  scheduler.run([] {
    // Each worker runs one of the two parts.
    std::atomic<int> arrived{0};
    const auto meet = [&arrived] {
      arrived.fetch_add(1);
      while (arrived.load() < 2) std::this_thread::yield();
    };
    fork_join(meet, meet);
  });
}

TEST_F(ProfileVariableDeathTest, PrintsTheProfileAtTheExit) {
  EXPECT_EXIT(
      {
        setenv("JOBS_PROFILE", "1", 1);
        run_a_job();
        run_a_job();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "jobs: profile: .*worker 0 .*worker 1 .*run_a_job.*jobs: waits");
}

TEST_F(ProfileVariableDeathTest, PrintsNothingIfItIsOffOrEmpty) {
  for (const char* const value : {"0", ""}) {
    EXPECT_EXIT(
        {
          setenv("JOBS_PROFILE", value, 1);
          run_a_job();
          std::exit(0);
        },
        testing::ExitedWithCode(0), "^$");
  }
}

int print_error_of_start() {
  try {
    run_a_job();
    return 1;
  } catch (const Error& error) {
    std::fputs(error.what(), stderr);
    return error.code() == ErrorCode::kBadEnvironment ? 0 : 2;
  }
}

TEST_F(ProfileVariableDeathTest, RefusesOtherValues) {
  EXPECT_EXIT(
      {
        setenv("JOBS_PROFILE", "yes", 1);
        std::_Exit(print_error_of_start());
      },
      testing::ExitedWithCode(0), "JOBS_PROFILE=\"yes\"");
}

TEST(ProfileInAForkedChild, IsOff) {
  trace::Profile profile;
  run_a_job();
  EXPECT_EQ(in_child([] {
              {
                const trace::Profile own;
              }
              return 0;
            }),
            0);
  profile.stop();
  EXPECT_FALSE(profile.functions().empty());
}

}  // namespace
}  // namespace jobs::test
