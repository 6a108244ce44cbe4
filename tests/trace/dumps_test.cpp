// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JOBS_TRACE_SLOW, JOBS_TRACE_LAST and JOBS_TRACE_SIGNAL: files that a process writes within its
// run, and their errors. Each test runs the process as the child of a death test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "jobs/jobs.hpp"
#include "jobs/trace.hpp"
#include "tests/trace/run_of_two.hpp"
#include "tests/trace/trace_file.hpp"

namespace jobs::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class TraceDumpDeathTest : public testing::Test {
 protected:
  TraceDumpDeathTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    remove_files();
  }
  ~TraceDumpDeathTest() override { remove_files(); }

  // The child is another process with the same file.
  static std::string path(const std::string& ending = ".json") {
    return (std::filesystem::temp_directory_path() /
            ("jobs_trace_dump_" + std::to_string(getuid()) + "_" +
             testing::UnitTest::GetInstance()->current_test_info()->name() + ending))
        .string();
  }
  static std::string path(unsigned number) {
    std::string ending = "-";
    return path(ending.append(std::to_string(number)).append(".json"));
  }
  static void remove_files() {
    std::remove(path().c_str());
    for (unsigned i = 1; i < 20; ++i) std::remove(path(i).c_str());
  }
  // Ends the process with 0 after it has run with the variable.
  [[noreturn]] static void run_with(const char* variable, const char* value,
                                    const std::function<void()>& body) {
    setenv("JOBS_TRACE", path().c_str(), 1);
    setenv(variable, value, 1);
    run_of_two();  // starts the recording
    body();
    std::exit(0);
  }
  [[noreturn]] static void start_with(const char* trace, const char* variable, const char* value) {
    setenv("JOBS_TRACE", trace, 1);
    setenv(variable, value, 1);
    std::_Exit(print_error_of_start());
  }
};

// Whether the file exists and has its last line.
bool is_complete(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return text.ends_with("]\n");
}

void wait_for_file(const std::string& name) {
  for (int i = 0; i < 500 && !std::filesystem::exists(name); ++i) std::this_thread::sleep_for(10ms);
}

TEST_F(TraceDumpDeathTest, WritesAFileForASlowFrame) {
  const auto body = [] {
    trace::frame("picture");
    trace::frame("picture");
    {
      const trace::Zone zone("slow zone");
      std::this_thread::sleep_for(300ms);
    }
    trace::frame("picture");
  };
  EXPECT_EXIT(run_with("JOBS_TRACE_SLOW", "200ms", body), testing::ExitedWithCode(0),
              "^jobs: JOBS_TRACE: a frame of [0-9.]+ ms: .*-1.json\n$");
  EXPECT_THAT(TraceFile(path(1)).named("B", "slow zone"), SizeIs(1));
  EXPECT_THAT(TraceFile(path(1)).named("X", "picture"), SizeIs(2));
  EXPECT_THAT(TraceFile(path()).named("B", "slow zone"), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(path(2)));
}

// Marks of different names do not end each other's frames.
TEST_F(TraceDumpDeathTest, WritesNoFileForFastFrames) {
  const auto body = [] {
    trace::frame("picture");
    trace::frame("physics");
    std::this_thread::sleep_for(20ms);
    trace::frame("sound");
  };
  EXPECT_EXIT(run_with("JOBS_TRACE_SLOW", "10ms", body), testing::ExitedWithCode(0), "^$");
  EXPECT_FALSE(std::filesystem::exists(path(1)));
}

TEST_F(TraceDumpDeathTest, WritesAtMostTenFilesForSlowFrames) {
  const auto body = [] {
    const auto mark_slow_frame = [] {
      std::this_thread::sleep_for(5ms);
      trace::frame();
    };
    trace::frame();
    // A frame that ends while a file is written requests none.
    while (!is_complete(path(10))) mark_slow_frame();
    for (int i = 0; i < 10; ++i) mark_slow_frame();
  };
  EXPECT_EXIT(run_with("JOBS_TRACE_SLOW", "1ms", body), testing::ExitedWithCode(0), "-10.json\n$");
  EXPECT_TRUE(std::filesystem::exists(path(10)));
  EXPECT_FALSE(std::filesystem::exists(path(11)));
}

TEST_F(TraceDumpDeathTest, WritesAFileForEachSignal) {
  const auto body = [] {
    {
      const trace::Zone zone("before the signal");
    }
    kill(getpid(), SIGUSR2);
    wait_for_file(path(1));
    std::raise(SIGUSR2);
  };
  EXPECT_EXIT(run_with("JOBS_TRACE_SIGNAL", "USR2", body), testing::ExitedWithCode(0),
              "a signal: .*-1.json\njobs: JOBS_TRACE: a signal: .*-2.json\n$");
  EXPECT_THAT(TraceFile(path(1)).named("B", "before the signal"), SizeIs(1));
  EXPECT_THAT(TraceFile(path(2)).named("B", "before the signal"), SizeIs(1));
}

TEST_F(TraceDumpDeathTest, WritesTheLastTimeOnly) {
  const auto body = [] {
    {
      const trace::Zone zone("early");
    }
    std::this_thread::sleep_for(1200ms);
    const trace::Zone zone("late");
  };
  EXPECT_EXIT(run_with("JOBS_TRACE_LAST", "1s", body), testing::ExitedWithCode(0), "^$");
  const TraceFile file(path());
  EXPECT_THAT(file.named("B", "early"), IsEmpty());
  EXPECT_THAT(file.named("B", "late"), SizeIs(1));
}

TEST_F(TraceDumpDeathTest, RefusesBadValues) {
  const auto refuses = [](const char* variable, const char* value, const char* rule) {
    EXPECT_EXIT(start_with(path().c_str(), variable, value), testing::ExitedWithCode(0),
                std::string(variable) + "=\"" + value + "\" " + rule);
  };
  for (const char* const value : {"20", "ms", "0ms", "-1ms", "1.5s", "20 ms", "3601s", "1h"}) {
    refuses("JOBS_TRACE_SLOW", value, "is no time such as 20ms, from 1us to 3600s");
    refuses("JOBS_TRACE_LAST", value, "is no time such as 20ms, from 1us to 3600s");
  }
  for (const char* const value : {"KILL", "12", "usr2", "SIGUSR2"})
    refuses("JOBS_TRACE_SIGNAL", value, "is none of HUP, QUIT, USR1, USR2");
}

TEST_F(TraceDumpDeathTest, NeedsAFile) {
  EXPECT_EXIT(start_with("", "JOBS_TRACE_SLOW", "20ms"), testing::ExitedWithCode(0),
              "JOBS_TRACE_SLOW=\"20ms\" needs the name of a file in JOBS_TRACE");
  EXPECT_EXIT(start_with("", "JOBS_TRACE_SIGNAL", "USR2"), testing::ExitedWithCode(0),
              "JOBS_TRACE_SIGNAL=\"USR2\" needs the name of a file in JOBS_TRACE");
}

TEST_F(TraceDumpDeathTest, LeavesASignalToTheProgram) {
  EXPECT_EXIT(
      {
        std::signal(SIGUSR2, [](int) {});
        start_with(path().c_str(), "JOBS_TRACE_SIGNAL", "USR2");
      },
      testing::ExitedWithCode(0),
      "JOBS_TRACE_SIGNAL=\"USR2\" is a signal that the program handles itself");
}

}  // namespace
}  // namespace jobs::test
