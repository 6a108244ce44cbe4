// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JOBS_TRACE: a recording of the whole run of a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "jobs/jobs.hpp"
#include "tests/support/in_child.hpp"
#include "tests/trace/html_trace.hpp"
#include "tests/trace/run_of_two.hpp"
#include "tests/trace/trace_file.hpp"

namespace jobs::test {
namespace {

using testing::Contains;
using testing::IsEmpty;
using testing::Not;

class TraceVariableDeathTest : public testing::Test {
 protected:
  TraceVariableDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void run_a_job() {
  run_of_two([] { const trace::Zone zone("in the run"); });
}

TEST_F(TraceVariableDeathTest, WritesTheFileAtTheExit) {
  // The child is another process with the same file.
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("jobs_trace_exit_" + std::to_string(getuid()) + ".json"))
                               .string();
  std::remove(path.c_str());
  EXPECT_EXIT(
      {
        setenv("JOBS_TRACE", path.c_str(), 1);
        run_a_job();
        run_a_job();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  const TraceFile file(path);
  EXPECT_THAT(file.named("B", "in the run"), testing::SizeIs(2));
  EXPECT_THAT(file.tracks(), Contains("worker 1"));
  std::remove(path.c_str());
}

TEST_F(TraceVariableDeathTest, WritesThePageOfTheViewer) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("jobs_trace_exit_" + std::to_string(getuid()) + ".html"))
                               .string();
  std::remove(path.c_str());
  EXPECT_EXIT(
      {
        setenv("JOBS_TRACE", path.c_str(), 1);
        run_a_job();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_THAT(HtmlTrace(path).named("in the run"), testing::SizeIs(1));
  std::remove(path.c_str());
}

TEST_F(TraceVariableDeathTest, BelongsToTheFolderAtTheStart) {
  const std::string name = "jobs_trace_folder_" + std::to_string(getuid()) + ".json";
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  std::filesystem::remove(folder / name);
  EXPECT_EXIT(
      {
        std::filesystem::current_path(folder);
        setenv("JOBS_TRACE", name.c_str(), 1);
        run_a_job();
        std::filesystem::current_path("/");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
  const TraceFile file((folder / name).string());
  EXPECT_THAT(file.named("B", "in the run"), testing::SizeIs(1));
  std::filesystem::remove(folder / name);
}

TEST_F(TraceVariableDeathTest, LeavesNoFileWithoutAnExit) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("jobs_trace_killed_" + std::to_string(getuid()) + ".html"))
                               .string();
  const auto run_and_die = [&path] {
    setenv("JOBS_TRACE", path.c_str(), 1);
    run_a_job();
    std::raise(SIGKILL);
  };
  std::remove(path.c_str());
  EXPECT_EXIT(run_and_die(), testing::KilledBySignal(SIGKILL), "");
  EXPECT_FALSE(std::filesystem::exists(path));
  // The file of an earlier run stays.
  std::ofstream(path) << "earlier";
  EXPECT_EXIT(run_and_die(), testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(std::filesystem::file_size(path), 7u);
  std::remove(path.c_str());
}

TEST_F(TraceVariableDeathTest, IsOffIfItIsEmpty) {
  EXPECT_EXIT(
      {
        setenv("JOBS_TRACE", "", 1);
        run_a_job();
        std::exit(trace::is_recording() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "^$");
}

TEST_F(TraceVariableDeathTest, RefusesAFormatThatItDoesNotKnow) {
  EXPECT_EXIT(
      {
        setenv("JOBS_TRACE", "run.txt", 1);
        std::_Exit(print_error_of_start());
      },
      testing::ExitedWithCode(0),
      "JOBS_TRACE=\"run.txt\" is no name of a file that ends in .html, .json or .jtr");
}

TEST_F(TraceVariableDeathTest, RefusesAFileThatCannotBeWritten) {
  EXPECT_EXIT(
      {
        setenv("JOBS_TRACE", "/nonexistent/run.json", 1);
        std::_Exit(print_error_of_start());
      },
      testing::ExitedWithCode(0),
      "JOBS_TRACE=\"/nonexistent/run.json\" cannot be written: No such file or directory");
}

TEST(TraceInAForkedChild, IsOff) {
  const trace::Recording recording;
  EXPECT_EQ(in_child([] {
              {
                const trace::Zone zone("in the child");
              }
              return trace::is_recording() ? 1 : 0;
            }),
            0);
  EXPECT_TRUE(trace::is_recording());
}

TEST(TraceInAForkedChild, GoesOnAfterTheEndOfTheParentsRecording) {
  std::optional<trace::Recording> parents(std::in_place);
  EXPECT_EQ(in_child([&parents] {
              trace::Recording own;
              parents.reset();
              if (!trace::is_recording()) return 1;
              {
                const trace::Zone zone("in the child");
              }
              own.stop();
              if (trace::is_recording()) return 2;
              return TraceFile::of(own).named("B", "in the child").size() == 1 ? 0 : 3;
            }),
            0);
  EXPECT_TRUE(trace::is_recording());
}

}  // namespace
}  // namespace jobs::test
