// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// JOBS_LIVE and jobs-top: what the tool shows of processes that wait, hang, work, are stopped or
// end, and its errors. JOBS_TOP and JOBS_LIVE_TARGET are the paths of the two programs.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/trace/live/live_page.hpp"
#include "jobs/trace/live/live_waits.hpp"
#include "jobs/trace/tools/top_screen.hpp"
#include "tests/support/in_child.hpp"
#include "tests/trace/child_program.hpp"
#include "tests/trace/run_of_two.hpp"

namespace jobs::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using trace::detail::LivePage;
using trace::detail::LivePicture;

Output top(pid_t process, const std::string& options = "--once") {
  return output_of(std::string(JOBS_TOP) + " " + options + " " + std::to_string(process));
}

bool has(const Output& output, const std::string& pattern) {
  return testing::internal::RE::PartialMatch(output.text, testing::internal::RE(pattern.c_str()));
}

// Runs jobs-top until one text has all patterns and does not contain `absent`, for at least ten
// seconds. A picture may be older than the call, and each thread of the process takes its time.
Output top_until(pid_t process, const std::vector<std::string>& patterns,
                 const std::string& absent = {}) {
  Output output;
  for (int i = 0; i < 40; ++i) {
    output = top(process);
    const bool has_all = std::all_of(patterns.begin(), patterns.end(),
                                     [&](const std::string& each) { return has(output, each); });
    if (has_all && (absent.empty() || output.text.find(absent) == std::string::npos)) break;
  }
  for (const std::string& pattern : patterns) EXPECT_THAT(output.text, ContainsRegex(pattern));
  if (!absent.empty()) {
    EXPECT_THAT(output.text, Not(HasSubstr(absent)));
  }
  return output;
}

class JobsTop : public testing::Test {
 protected:
  static ChildProgram start(const char* mode, const char* live = "JOBS_LIVE=1") {
    return ChildProgram({JOBS_LIVE_TARGET, mode}, {live});
  }
};

TEST_F(JobsTop, ShowsWorkersThatBlockInTheKernelAndTheJobsThatWait) {
  ChildProgram target = start("blocked");
  ASSERT_EQ(target.read_line(), "ready");
  const Output output =
      top_until(target.process(), {"\\(live_target\\)", "2 of 2 workers active",
                                   "5 jobs wait \\(oldest [0-9]", "blocks .* second"});
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(target.wait(), 0);
}

TEST_F(JobsTop, ShowsNamesWithoutControlCharacters) {
  ChildProgram target = start("blocked");
  ASSERT_EQ(target.read_line(), "ready");
  const Output output = top_until(target.process(), {"blocks .* red .x1b.31m"});
  EXPECT_EQ(std::count(output.text.begin(), output.text.end(), '\x1b'), 0);
}

TEST_F(JobsTop, ShowsWhereFibersWait) {
  ChildProgram target = start("waiting");
  ASSERT_EQ(target.read_line(), "ready");
  top_until(target.process(),
            {" 2 .* Event +0x[0-9a-f]+  waiter", " 2 .* join ", "fibers \\(4 blocked\\)", "parked"},
            "did not answer");
}

TEST_F(JobsTop, ShowsRatesOfABusyProcess) {
  ChildProgram target = start("busy");
  ASSERT_EQ(target.read_line(), "ready");
  top_until(target.process(), {"active, [1-9][0-9.]*k? jobs/s"});
}

TEST_F(JobsTop, ShowsAStoppedProcess) {
  ChildProgram target = start("busy");
  ASSERT_EQ(target.read_line(), "ready");
  ASSERT_EQ(top_until(target.process(), {"active, [1-9]"}).status, 0);  // There is a picture.
  target.send(SIGSTOP);
  const Output output = top_until(
      target.process(), {"is stopped; last picture [0-9]", "active, 0 jobs/s", "0 +1  stopped"});
  EXPECT_EQ(output.status, 0);
  target.send(SIGCONT);
  EXPECT_EQ(target.wait(), 0);
}

TEST_F(JobsTop, FollowsAProcessUntilItsEnd) {
  ChildProgram target = start("busy");
  ASSERT_EQ(target.read_line(), "ready");
  const pid_t process = target.process();
  ChildProgram watcher({JOBS_TOP, "--interval", "0.05", std::to_string(process)}, {});
  EXPECT_THAT(watcher.read_line(), HasSubstr("live_target"));
  target.send(SIGKILL);
  std::string all;
  for (std::string line; all.find("has ended") == all.npos; all += line + "\n")
    line = watcher.read_line();
  EXPECT_EQ(watcher.wait(), 1);
}

// A terminal of that size, which a program opens by its path.
class Terminal {
 public:
  Terminal(unsigned short rows, unsigned short columns) : file_(posix_openpt(O_RDWR | O_NOCTTY)) {
    const winsize size{.ws_row = rows, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    is_open_ = grantpt(file_) == 0 && unlockpt(file_) == 0 && ioctl(file_, TIOCSWINSZ, &size) == 0;
  }
  ~Terminal() { close(file_); }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  bool is_open() const noexcept { return is_open_; }
  std::string path() const { return ptsname(file_); }
  // Reads the output of a program until its end, but no more than `pictures` pictures.
  std::string read_pictures(int pictures) {
    std::string text;
    std::array<char, 4096> bytes;
    for (ssize_t n = 0; (n = read(file_, bytes.data(), bytes.size())) > 0;) {
      text.append(bytes.data(), static_cast<std::size_t>(n));
      int begun = 0;
      for (std::size_t at = 0; (at = text.find("\x1b[H", at)) != text.npos; ++at) ++begun;
      if (begun > pictures) break;
    }
    return text;
  }

 private:
  const int file_;
  bool is_open_ = false;
};

TEST_F(JobsTop, ShowsWholeLinesOnATerminalOfUnknownSize) {
  ChildProgram target = start("busy");
  ASSERT_EQ(target.read_line(), "ready");
  Terminal terminal(24, 0);
  ASSERT_TRUE(terminal.is_open());
  ChildProgram watcher({"/bin/sh", "-c",
                        std::string("exec " JOBS_TOP " --interval 0.05 ") +
                            std::to_string(target.process()) + " > " + terminal.path()},
                       {});
  const std::string text = terminal.read_pictures(2);
  watcher.send(SIGTERM);
  EXPECT_THAT(text, HasSubstr("(live_target)"));
  EXPECT_THAT(text, HasSubstr("fibers  runs"));
}

TEST_F(JobsTop, RefusesWrongArguments) {
  const std::string command = JOBS_TOP;
  const auto refuses = [&command](const std::string& arguments, const std::string& message) {
    const Output output = output_of(command + " " + arguments);
    EXPECT_EQ(output.status, 2) << arguments;
    EXPECT_EQ(output.text, message) << arguments;
  };
  refuses("", "usage: jobs-top [--once] [--interval SECONDS] PID\n");
  refuses("abc", "jobs-top: \"abc\" is no process id\n");
  refuses("0", "jobs-top: \"0\" is no process id\n");
  refuses("1 2", "jobs-top: \"2\" is no process id\n");
  refuses("--interval 0 1",
          "jobs-top: --interval: \"0\" is no number of seconds from 0.05 to 3600\n");
  refuses("--interval", "jobs-top: --interval: \"\" is no number of seconds from 0.05 to 3600\n");
}

TEST_F(JobsTop, RefusesAProcessThatDoesNotExist) {
  const Output output = top(4194303);  // above the largest id of most systems
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.text, "jobs-top: there is no process 4194303\n");
}

TEST_F(JobsTop, RefusesAProcessWithoutAPage) {
  ChildProgram target = start("waiting", "JOBS_LIVE=0");
  ASSERT_EQ(target.read_line(), "ready");
  const Output output = top(target.process());
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.text,
            "jobs-top: process " + std::to_string(target.process()) +
                " shares no page: start it with JOBS_LIVE=1, linked with jobs::trace\n");
}

TEST_F(JobsTop, RefusesAProcessThatHasEnded) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t info;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const Output output = top(child);
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.text, "jobs-top: process " + std::to_string(child) + " has ended\n");
  waitpid(child, nullptr, 0);
}

TEST_F(JobsTop, RefusesAPageOfAnotherVersion) {
  const int file = memfd_create(trace::detail::kLiveName, MFD_CLOEXEC);
  ASSERT_NE(file, -1);
  const std::uint64_t magic = trace::detail::kLiveMagic;
  const std::uint32_t version = 7;
  ASSERT_EQ(pwrite(file, &magic, sizeof magic, 0), 8);
  ASSERT_EQ(pwrite(file, &version, sizeof version, 8), 4);
  EXPECT_THAT(top(getpid()).text,
              testing::EndsWith("has a page of version 7; this jobs-top reads version 1\n"));
  const std::uint64_t other = 1;
  ASSERT_EQ(pwrite(file, &other, sizeof other, 0), 8);
  EXPECT_THAT(top(getpid()).text, testing::EndsWith("has a page that is none of jobs\n"));
  close(file);
}

TEST_F(JobsTop, RefusesThePageThatAForkedChildInherits) {
  const int file = memfd_create(trace::detail::kLiveName, MFD_CLOEXEC);
  ASSERT_NE(file, -1);
  auto page = std::make_unique<LivePage>();
  page->process = getppid();
  ASSERT_EQ(pwrite(file, page.get(), sizeof *page, 0), static_cast<ssize_t>(sizeof *page));
  EXPECT_THAT(top(getpid()).text,
              testing::EndsWith("has the page of another process: a forked child shares none\n"));
  close(file);
}

// The process writes its page, so the counts may have any values.
TEST(TopScreen, TrustsNoPicture) {
  for (const int byte : {0xff, 0x80, 0x7f}) {
    trace::detail::TopView view;
    std::memset(static_cast<void*>(&view.picture), byte, sizeof view.picture);
    const std::size_t lines = trace::detail::lines_of(view).size();
    EXPECT_LT(lines, LivePicture::kSchedulers + LivePicture::kWorkers + LivePicture::kWaits + 12);
  }
}

TEST(TopScreen, CutsLinesByColumns) {
  using trace::detail::cut_to_columns;
  EXPECT_EQ(cut_to_columns("narrow", 4), "narr");
  EXPECT_EQ(cut_to_columns("narrow", 6), "narrow");
  EXPECT_EQ(cut_to_columns("narrow", 60), "narrow");
  EXPECT_EQ(cut_to_columns("gr\u00fc\u00dfe", 3), "gr\u00fc");
  EXPECT_EQ(cut_to_columns("\u4e2d\u6587", 3), "\u4e2d");  // two columns each
  EXPECT_EQ(cut_to_columns("\u4e2d\u6587", 4), "\u4e2d\u6587");
  EXPECT_EQ(cut_to_columns("\u4e2d", 1), "");
}

TEST(LiveLabel, EndsWithAWholeCharacter) {
  std::array<char, 64> label;
  std::string name(63, 'a');
  trace::detail::copy_label(label, name.append("\u00e9"));
  EXPECT_EQ(std::string_view(label.data(), 63), std::string(63, 'a'));
  EXPECT_EQ(label[63], '\0');
}

TEST(LivePage, KeepsItsHeader) {
  EXPECT_EQ(offsetof(LivePage, magic), 0u);
  EXPECT_EQ(offsetof(LivePage, version), 8u);
  EXPECT_EQ(std::memcmp(&trace::detail::kLiveMagic, "jobsLive", 8), 0);
}

TEST(LiveVariableDeathTest, IsZeroOrOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("JOBS_LIVE", "yes", 1);
        std::_Exit(print_error_of_start());
      },
      testing::ExitedWithCode(0), "JOBS_LIVE=\"yes\" is not a whole number from 0 to 1");
}

}  // namespace
}  // namespace jobs::test
