// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs-top [--once] [--interval SECONDS] PID: shows the workers, the queues and the waits of a
// process that runs with JOBS_LIVE=1. docs/tracing.md describes the screen.
//
// The exit status is 0, 1 if the process cannot be shown or has ended, and 2 for wrong arguments.
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/trace/tools/process_page.hpp"
#include "jobs/trace/tools/top_screen.hpp"
#include "jobs/version.hpp"

namespace {

using jobs::os::Nanoseconds;
using jobs::trace::detail::cut_to_columns;
using jobs::trace::detail::LivePicture;
using jobs::trace::detail::ProcessPage;
using jobs::trace::detail::TopView;

constexpr const char* kUsage = "usage: jobs-top [--once] [--interval SECONDS] PID\n";
constexpr Nanoseconds kSecond = 1'000'000'000;

struct Arguments {
  pid_t process = 0;
  bool once = false;
  Nanoseconds interval = kSecond / 5;
};

volatile std::sig_atomic_t is_interrupted = 0;

void refuse(const std::string& what) { std::fprintf(stderr, "jobs-top: %s\n", what.c_str()); }

std::string quoted(std::string_view text) {
  return '"' + jobs::trace::detail::printable(text) + '"';
}

template <class Number>
bool parse(std::string_view text, Number least, Number most, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number >= least &&
         number <= most;
}

std::optional<Arguments> parse_arguments(const std::vector<std::string_view>& texts) {
  Arguments arguments;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i] == "--once") {
      arguments.once = true;
    } else if (texts[i] == "--interval") {
      double seconds = 0;
      const std::string_view text = ++i < texts.size() ? texts[i] : "";
      if (!parse(text, 0.05, 3600.0, seconds)) {
        refuse("--interval: " + quoted(text) + " is no number of seconds from 0.05 to 3600");
        return std::nullopt;
      }
      arguments.interval = static_cast<Nanoseconds>(seconds * kSecond);
    } else if (arguments.process != 0 ||
               !parse(texts[i], 1, std::numeric_limits<pid_t>::max(), arguments.process)) {
      refuse(quoted(texts[i]) + " is no process id");
      return std::nullopt;
    }
  }
  if (arguments.process != 0) return arguments;
  std::fputs(kUsage, stderr);
  return std::nullopt;
}

// Returns early if the user interrupts the program.
void sleep(Nanoseconds time) { poll(nullptr, 0, static_cast<int>(time / 1'000'000)); }

// The process writes its first picture soon after it has created the page.
bool read_first(ProcessPage& page, LivePicture& picture) {
  constexpr int kAttempts = 50;
  for (int i = 0; i < kAttempts && is_interrupted == 0; ++i, sleep(kSecond / 50)) {
    if (page.read(picture)) return true;
  }
  return false;
}

void describe(const ProcessPage& page, TopView& view) {
  view.process = page.process();
  view.command = page.command();
  view.state = page.state();
  view.thread_states.clear();
  const std::size_t workers = std::min<std::size_t>(view.picture.workers, LivePicture::kWorkers);
  for (std::size_t i = 0; i < workers; ++i)
    view.thread_states.push_back(page.state_of(view.picture.worker[i].thread));
  view.now = jobs::os::now();
}

// Prints the lines as plain text, or over the last ones on a terminal. Those that do not fit are
// left out. A terminal may report 0 rows or columns, which means that it does not know them.
void print(const std::vector<std::string>& lines, bool is_terminal) {
  std::size_t count = lines.size();
  winsize size{};
  if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) size = {};
  if (size.ws_row > 1) count = std::min<std::size_t>(count, size.ws_row - 1u);
  std::string text = is_terminal ? "\x1b[H" : "";
  for (std::size_t i = 0; i < count; ++i) {
    text += size.ws_col != 0 ? cut_to_columns(lines[i], size.ws_col) : lines[i];
    text += is_terminal ? "\x1b[K\n" : "\n";
  }
  text += is_terminal ? "\x1b[J" : "";
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

int show(const Arguments& arguments) {
  ProcessPage page(arguments.process);
  const auto view = std::make_unique<TopView>();
  if (!read_first(page, view->before)) {
    refuse("process " + std::to_string(arguments.process) + " has not written its page");
    return 1;
  }
  const bool is_terminal = !arguments.once && isatty(STDOUT_FILENO) != 0;
  if (is_terminal) std::fputs("\x1b[?25l\x1b[2J", stdout);
  int status = 0;
  do {
    sleep(arguments.interval);
    page.read(view->picture);
    describe(page, *view);
    print(lines_of(*view), is_terminal);
    if (view->state == '\0' || view->state == 'Z') status = 1;
    if (!arguments.once && !is_terminal) std::fputs("\n", stdout);
    view->before = view->picture;
  } while (!arguments.once && is_interrupted == 0 && status == 0);
  if (is_terminal) std::fputs("\x1b[?25h", stdout);
  if (status != 0) refuse("process " + std::to_string(arguments.process) + " has ended");
  return status;
}

}  // namespace

int main(int count, char** texts) {
  const std::vector<std::string_view> all(texts + std::min(count, 1), texts + count);
  if (std::find(all.begin(), all.end(), "--help") != all.end()) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (std::find(all.begin(), all.end(), "--version") != all.end()) {
    std::puts("jobs-top " JOBS_VERSION_STRING);
    return 0;
  }
  const std::optional<Arguments> arguments = parse_arguments(all);
  if (!arguments) return 2;
  struct sigaction action = {};
  action.sa_handler = [](int) { is_interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  try {
    return show(*arguments);
  } catch (const std::exception& error) {
    refuse(error.what());
    return 1;
  }
}
