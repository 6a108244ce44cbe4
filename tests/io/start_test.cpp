// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::io: its start, in child processes that the system refuses something.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "jobs/error.hpp"
#include "jobs/io/io.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seccomp.hpp"

namespace {

namespace io = jobs::io;
using namespace std::chrono_literals;

class IoStartDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// Makes all threads of the process get `error` from a system call.
void refuse_call(long number, int error) {
  if (jobs::test::deny({&number, 1}, error)) return;
  std::perror("seccomp");
  std::_Exit(9);
}

// Sends a byte through a pipe. Ends the process if that takes long.
bool carries_a_byte() {
  ::alarm(10);
  std::array<int, 2> ends{};
  std::array<std::byte, 1> buffer{};
  if (::pipe(ends.data()) != 0) return false;
  // The read waits first, for a moment.
  if (!io::read(ends[0], buffer, {.timeout = 1ms}).timed_out()) return false;
  return io::write(ends[1], buffer).value() == 1 && io::read(ends[0], buffer).value() == 1;
}

// Prints the error of the start; the result is the exit status.
int print_error_of_start() {
  try {
    static_cast<void>(io::backend());
    return 1;
  } catch (const jobs::Error& error) {
    std::fputs(error.what(), stderr);
    return error.code() == jobs::ErrorCode::kBadEnvironment ? 0 : 2;
  } catch (const std::system_error& error) {
    std::fputs(error.what(), stderr);
    return 3;
  }
}

// Descriptors of the process get the lowest free number.
int lowest_free_descriptor() {
  const int fd = ::dup(0);
  ::close(fd);
  return fd;
}

TEST_F(IoStartDeathTest, RefusesABackendThatItDoesNotKnow) {
  EXPECT_EXIT(
      {
        setenv("JOBS_IO", "carrier pigeon", 1);
        std::_Exit(print_error_of_start());
      },
      testing::ExitedWithCode(0), "JOBS_IO=\"carrier pigeon\" is neither io_uring nor epoll");
}

TEST_F(IoStartDeathTest, TakesAnEmptyVariableAsUnset) {
  EXPECT_EXIT(
      {
        setenv("JOBS_IO", "", 1);
        std::_Exit(carries_a_byte() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(IoStartDeathTest, UsesEpollIfTheKernelRefusesToEnterARing) {
  for (const int error : {EPERM, ENOSYS}) {
    EXPECT_EXIT(
        {
          unsetenv("JOBS_IO");
          refuse_call(SYS_io_uring_enter, error);
          std::_Exit(carries_a_byte() && io::backend() == io::Backend::kEpoll ? 0 : 1);
        },
        testing::ExitedWithCode(0), "")
        << error;
  }
  EXPECT_EXIT(
      {
        setenv("JOBS_IO", "io_uring", 1);
        refuse_call(SYS_io_uring_enter, EPERM);
        std::_Exit(print_error_of_start());
      },
      testing::ExitedWithCode(0), "JOBS_IO=\"io_uring\" is denied by the kernel");
}

TEST_F(IoStartDeathTest, EndsTheProgramIfTheKernelRefusesToEnterTheRingLater) {
  EXPECT_DEATH(
      {
        unsetenv("JOBS_IO");
        if (!carries_a_byte() || io::backend() == io::Backend::kEpoll) {
          std::fputs("no ring here: since the start (Operation not permitted)", stderr);
          std::abort();
        }
        refuse_call(SYS_io_uring_enter, EPERM);
        carries_a_byte();
      },
      "since the start .Operation not permitted");
}

// A device of the kernel that has positions and refuses RWF_NOWAIT. Its bytes do not depend on the
// position, so the kernel refuses the calls without an offset. The result is the exit status.
int use_offset_of_device() {
  setenv("JOBS_IO", "epoll", 1);
  static_cast<void>(io::backend());
  const int device = ::open("/dev/full", O_RDWR | O_NONBLOCK);
  if (device < 0) return 9;
  refuse_call(SYS_read, EIO);
  refuse_call(SYS_write, EIO);
  std::array<std::byte, 4> buffer{};
  if (!io::read(device, buffer, {}, 3)) return 1;
  return io::write(device, buffer, {}, 3).error() == std::errc::no_space_on_device ? 0 : 2;
}

TEST_F(IoStartDeathTest, KeepsTheOffsetIfADeviceHasNoNonBlockingForm) {
  if (jobs::test::kSanitized)
    GTEST_SKIP() << "UndefinedBehaviorSanitizer checks memory by a pipe, which needs system calls";
  EXPECT_EXIT(std::_Exit(use_offset_of_device()), testing::ExitedWithCode(0), "");
}

// The result is the exit status.
int fail_without_descriptors() {
  setenv("JOBS_IO", "epoll", 1);
  const int first = lowest_free_descriptor();
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t enough = limit.rlim_cur;
  for (int i = 0; i < 3; ++i) {
    limit.rlim_cur = static_cast<rlim_t>(first) + 1;  // one for the bell, and none for epoll
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 9;
    if (print_error_of_start() != 3 || lowest_free_descriptor() != first) return 1;
  }
  limit.rlim_cur = enough;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return 9;
  return carries_a_byte() ? 0 : 2;
}

TEST_F(IoStartDeathTest, LeavesNoDescriptorIfItFails) {
  if (jobs::test::kSanitized)
    GTEST_SKIP() << "UndefinedBehaviorSanitizer checks memory by a pipe, which needs descriptors";
  EXPECT_EXIT(std::_Exit(fail_without_descriptors()), testing::ExitedWithCode(0),
              "jobs::io: no descriptor for epoll .see ulimit -n and fs.file-max.: Too many open "
              "files");
}

}  // namespace
