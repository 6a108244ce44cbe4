// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Child processes of hostile tests: start, output, time limit, end.
#include "tests/hostile/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

namespace jobs::test {

namespace {

using Clock = std::chrono::steady_clock;

bool is_one_line_of_the_library(const std::string& text) {
  return text.starts_with("jobs") && std::ranges::count(text, '\n') == 1 && text.ends_with('\n');
}

Ending ending_of(const Outcome& outcome, bool timed_out) {
  if (timed_out) return Ending::kHung;
  if (WIFSIGNALED(outcome.status)) {
    const bool is_clear =
        WTERMSIG(outcome.status) == SIGABRT && is_one_line_of_the_library(outcome.output);
    return is_clear ? Ending::kAborted : Ending::kWrong;
  }
  switch (WEXITSTATUS(outcome.status)) {
    case 0:
      return Ending::kWorked;
    case kRefusedStatus:
      return Ending::kRefused;
    case kSkippedStatus:
      return Ending::kSkipped;
    default:
      return Ending::kWrong;
  }
}

[[noreturn]] void become(const std::vector<std::string>& command, int output,
                         const std::function<void()>& prepare) {
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, 0);  // Descriptors of the program that runs the tests.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  if (prepare) prepare();
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

const char* name_of(Ending ending) noexcept {
  constexpr const char* kNames[] = {"works", "refused", "one line", "skipped", "HUNG", "WRONG"};
  return kNames[static_cast<unsigned>(ending)];
}

Outcome run_program(const std::vector<std::string>& command, unsigned seconds,
                    const std::function<void()>& prepare,
                    const std::function<void(int child)>& attend) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
  const pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) become(command, ends[1], prepare);
  close(ends[1]);
  Outcome outcome;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  bool timed_out = false;
  for (;;) {
    pollfd ready{.fd = ends[0], .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, attend ? 5 : 100) > 0) {
      std::array<char, 4096> text;
      const ssize_t got = read(ends[0], text.data(), text.size());
      if (got <= 0) break;
      outcome.output.append(text.data(), static_cast<std::size_t>(got));
    } else if (attend) {
      attend(child);
    }
    if (Clock::now() > end && !timed_out) {
      timed_out = true;
      kill(child, SIGKILL);
    }
  }
  close(ends[0]);
  waitpid(child, &outcome.status, 0);
  outcome.ending = ending_of(outcome, timed_out);
  return outcome;
}

}  // namespace jobs::test
