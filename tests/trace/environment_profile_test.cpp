// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JOBS_PROFILE: a profile of the whole run of a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "jobs/diagnosis.hpp"
#include "jobs/jobs.hpp"
#include "jobs/profile.hpp"
#include "jobs/trace.hpp"
#include "tests/support/in_child.hpp"
#include "tests/trace/run_of_two.hpp"

namespace jobs::test {
namespace {

class ProfileVariableDeathTest : public testing::Test {
 protected:
  ProfileVariableDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ProfileVariableDeathTest, PrintsTheProfileAtTheExit) {
  EXPECT_EXIT(
      {
        setenv("JOBS_PROFILE", "1", 1);
        run_of_two();
        run_of_two();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "jobs: profile: .*worker 0 .*worker 1 .*run_of_two.*jobs: waits");
}

TEST_F(ProfileVariableDeathTest, PrintsNothingIfItIsOffOrEmpty) {
  for (const char* const value : {"0", ""}) {
    EXPECT_EXIT(
        {
          setenv("JOBS_PROFILE", value, 1);
          run_of_two();
          std::exit(0);
        },
        testing::ExitedWithCode(0), "^$");
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
  run_of_two();
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

TEST(ProfileInAForkedChild, GoesOnAfterTheEndOfTheParentsProfile) {
  std::optional<trace::Profile> parents(std::in_place);
  run_of_two();
  EXPECT_EQ(in_child([&parents] {
              const trace::Profile own;
              parents.reset();
              run_of_two();
              return own.functions().empty() ? 1 : 0;
            }),
            0);
}

TEST(DiagnosisInAForkedChild, EndsNoRecordingOfTheChild) {
  std::optional<trace::Diagnosis> parents(std::in_place);
  EXPECT_EQ(in_child([&parents] {
              const trace::Recording own;
              parents.reset();
              return trace::is_recording() ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace jobs::test
