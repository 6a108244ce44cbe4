// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The program that hostile tests run in a child process: it uses each part of the library a little,
// and checks the results. It exits with 0 if everything has worked, and with kRefusedStatus if
// calls have thrown exceptions; it prints a line for each of them.
//
//     hostile_program [SECONDS] [POINT ERRNO CALL...]
//
// SECONDS repeats the work for that time. At POINT a seccomp filter begins to refuse the calls:
// `exec` before the static initialisers, `main` before the first scheduler, `later` after the start
// of a scheduler and of the I/O thread.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"
#if defined(JOBS_TEST_WITH_IO)
#include "jobs/io/io.hpp"
#endif
#include "tests/hostile/child.hpp"
#include "tests/hostile/system_calls.hpp"
#include "tests/support/seccomp.hpp"

namespace {

using namespace std::chrono_literals;
using jobs::test::kRefusedStatus;
using jobs::test::kSkippedStatus;

std::atomic<int> refusals = 0;

[[noreturn]] void wrong(const char* what) {
  std::printf("wrong: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}
void check(bool holds, const char* what) {
  if (!holds) wrong(what);
}

// Runs a part of the work. The library may refuse it by an exception with a text.
void attempt(const char* part, const std::function<void()>& work) {
  try {
    work();
  } catch (const std::exception& error) {
    check(*error.what() != '\0', "an exception without a text");
    std::printf("refused: %s: %s\n", part, error.what());
    ++refusals;
  }
}

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

// Waits in spite of Error(kNoStack): the jobs refer to variables of the caller.
template <class F>
void insist(F&& wait) {
  for (;;) {
    try {
      return wait();
    } catch (const jobs::Error& error) {
      check(error.code() == jobs::ErrorCode::kNoStack, "an Error of another kind");
      std::this_thread::sleep_for(1ms);
    }
  }
}

// Accepted jobs run once, refused jobs not at all.
void spawn_jobs() {
  jobs::Counter done;
  std::atomic<int> ran = 0;
  int accepted = 0;
  std::exception_ptr refused;
  try {
    for (; accepted < 2000; ++accepted) jobs::spawn(done, [&ran] { ++ran; });
  } catch (...) {
    refused = std::current_exception();
  }
  insist([&] { done.wait(); });
  check(ran == accepted, "a job was lost, or ran twice");
  if (refused) std::rethrow_exception(refused);
}

void run_fibers(std::size_t stack_size, int count) {
  jobs::Event go;
  std::atomic<int> ran = 0;
  std::vector<jobs::Fiber<>> fibers;
  std::exception_ptr refused;
  try {
    for (int i = 0; i < count; ++i) {
      fibers.emplace_back(
          [&go, &ran] {
            insist([&] { go.wait(); });
            insist([] { jobs::this_fiber::sleep_for(100us); });
            ++ran;
          },
          jobs::FiberOptions{.stack_size = stack_size, .start = jobs::FiberStart::kNow});
    }
  } catch (...) {
    refused = std::current_exception();
  }
  go.signal();
  for (jobs::Fiber<>& fiber : fibers) insist([&] { fiber.join(); });
  check(ran == static_cast<int>(fibers.size()), "a fiber was lost");
  if (refused) std::rethrow_exception(refused);
}

void wait_across_threads() {
  jobs::Mutex mutex;
  jobs::Channel<int> channel(2);
  int inside = 0;
  std::jthread thread([&] {
    for (int i = 0; i < 100; ++i) static_cast<void>(channel.push(i));
    channel.close();
  });
  int sum = 0;
  jobs::Counter done;
  const auto take = [&] {
    std::optional<int> value;
    for (;;) {
      insist([&] { value = channel.pop(); });
      if (!value) return;
      insist([&] { mutex.lock(); });
      check(++inside == 1, "two fibers are inside a mutex");
      sum += *value;
      --inside;
      mutex.unlock();
    }
  };
  for (int i = 0; i < 4; ++i) jobs::spawn(done, take);
  insist([&] { done.wait(); });
  check(sum == 99 * 100 / 2, "a value was lost");
}

#if defined(JOBS_TEST_WITH_IO)
void use_io() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  std::array<std::byte, 1> got{};
  const std::array sent{std::byte{7}};
  std::exception_ptr refused;
  try {
    const jobs::io::Limits limits{.timeout = 10s};
    const jobs::io::Result early = jobs::io::read(ends[0], got, {.timeout = 1ms});
    if (!early.timed_out()) check(early.value() < 0, "a byte from nowhere");  // throws its error
    check(jobs::io::write(ends[1], sent, limits).value() == 1, "nothing was written");
    check(jobs::io::read(ends[0], got, limits).value() == 1 && got == sent, "wrong input");
  } catch (...) {
    refused = std::current_exception();
  }
  close(ends[0]);
  close(ends[1]);
  if (refused) std::rethrow_exception(refused);
}
#endif

void work(jobs::Scheduler& scheduler) {
  const auto in_a_job = [&](const char* part, const std::function<void()>& body) {
    attempt(part, [&] { scheduler.run(body); });
  };
  in_a_job("jobs", spawn_jobs);
  in_a_job("forks", [] { check(fibonacci(16) == 987, "a wrong sum of forks"); });
  in_a_job("loops", [] {
    const long sum =
        jobs::parallel_reduce(0, 10'000, 0L, std::plus{}, [](int i) { return long{i}; });
    check(sum == 9'999L * 10'000 / 2, "a wrong sum of a loop");
  });
  in_a_job("fibers", [] { run_fibers(0, 50); });
  in_a_job("large stacks", [] { run_fibers(std::size_t{1} << 20, 8); });
  in_a_job("waits", wait_across_threads);
  in_a_job("blocking",
           [] { check(jobs::blocking([] { return 7; }) == 7, "a wrong result of blocking()"); });
#if defined(JOBS_TEST_WITH_IO)
  in_a_job("io", use_io);
#endif
  attempt("external participant", [] { check(fibonacci(12) == 144, "a wrong sum outside"); });
  attempt("trim", [&] { scheduler.trim(); });
  attempt("report", [&] {
    check(!scheduler.describe().empty(), "no description");
    static_cast<void>(scheduler.stats());
    static_cast<void>(jobs::reports());
  });
}

std::vector<long> numbers_of(char** first, char** last) {
  std::vector<long> numbers;
  for (; first != last; ++first) {
    const auto found = std::ranges::find(jobs::test::kSystemCalls, std::string_view(*first),
                                         &jobs::test::SystemCall::name);
    check(found != jobs::test::kSystemCalls.end(), "an unknown system call");
    numbers.push_back(found->number);
  }
  return numbers;
}

}  // namespace

int main(int count, char** arguments) {
  const std::chrono::seconds duration{count > 1 ? std::atoi(arguments[1]) : 0};
  const std::string point = count > 2 ? arguments[2] : "";
  const auto deny = [&] {
    const std::vector<long> numbers = numbers_of(arguments + 4, arguments + count);
    if (jobs::test::deny(numbers, std::atoi(arguments[3]))) return;
    std::puts("the system has no seccomp");
    std::fflush(stdout);
    std::_Exit(kSkippedStatus);
  };
  if (point == "exec") {
    deny();
    char* const again[] = {arguments[0], arguments[1], nullptr};
    execv("/proc/self/exe", again);
    wrong("exec failed");
  }
  if (point == "main") deny();
  attempt("scheduler", [&] {
    jobs::Scheduler scheduler({.worker_count = 3, .stack_size = 64 * 1024, .max_idle_stacks = 16});
    scheduler.run([] {});
    if (point == "later") {
#if defined(JOBS_TEST_WITH_IO)
      attempt("io", [] { static_cast<void>(jobs::io::backend()); });
#endif
      deny();
    }
    const auto end = std::chrono::steady_clock::now() + duration;
    do {
      work(scheduler);
    } while (std::chrono::steady_clock::now() < end);
    scheduler.shutdown();
    const jobs::Stats stats = scheduler.stats();
    check(stats.fibers == stats.fibers_idle, "a fiber has not ended");
  });
  attempt("second scheduler", [] {
    jobs::Scheduler scheduler({.worker_count = 2, .deadlock_after = 1h});
    check(scheduler.run([] { return 7; }) == 7, "a wrong result");
  });
  attempt("shutdown", [] { jobs::shutdown_default(); });
  std::fflush(stdout);
  // An exit would run the static destructors of a process without system calls.
  std::_Exit(refusals == 0 ? 0 : kRefusedStatus);
}
