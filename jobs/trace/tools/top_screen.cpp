// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The screen of jobs-top: a line for the process, tables of schedulers, workers and waits.
#include "jobs/trace/tools/top_screen.hpp"

#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <cwchar>
#include <string_view>

#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr os::Nanoseconds kSecond = 1'000'000'000;
// The process writes ten pictures in a second. An older picture shows that it does not run.
constexpr os::Nanoseconds kStale = kSecond;

// In the order of WaitKind.
constexpr std::array<const char*, 18> kKinds = {
    "wait",    "Mutex", "SharedMutex", "OnceFlag",  "Semaphore", "Event",
    "Counter", "Latch", "Barrier",     "Condition", "Channel",   "select",
    "join",    "job",   "schedule",    "sleep",     "blocking",  "io"};

[[gnu::format(printf, 1, 2)]] std::string format(const char* form, ...) {
  std::array<char, 512> text;
  std::va_list arguments;
  va_start(arguments, form);
  std::vsnprintf(text.data(), text.size(), form, arguments);
  va_end(arguments);
  return text.data();
}

std::string text_of(const std::array<char, 64>& label) {
  return printable(std::string_view(label.data(), strnlen(label.data(), label.size())));
}

std::string number(double value) {
  if (value < 1e4) return format("%.0f", value);
  if (value < 1e6) return format("%.1fk", value / 1e3);
  return format("%.1fM", value / 1e6);
}

std::string duration(os::Nanoseconds time) {
  const double seconds = static_cast<double>(std::max<os::Nanoseconds>(time, 0)) / kSecond;
  if (seconds < 1) return format("%.0f ms", seconds * 1e3);
  if (seconds < 100) return format("%.1f s", seconds);
  return format("%.0f s", seconds);
}

// The page may have any times.
os::Nanoseconds between(os::Nanoseconds begin, os::Nanoseconds end) {
  return static_cast<os::Nanoseconds>(static_cast<std::uint64_t>(end) -
                                      static_cast<std::uint64_t>(begin));
}

// The time since `begin`, which is 0 if it is not known.
std::string since(os::Nanoseconds begin, os::Nanoseconds now) {
  return begin != 0 ? duration(between(begin, now)) : "-";
}

std::string rate(std::uint64_t now, std::uint64_t before, os::Nanoseconds time) {
  if (time <= 0 || now < before) return "0";
  return number(static_cast<double>(now - before) * kSecond / static_cast<double>(time));
}

const char* word_of(const LiveWorker& worker, char state) {
  if (state == 'T' || state == 't') return "stopped";
  switch (worker.state) {
    case LiveState::kVacant:
      return "no thread";
    case LiveState::kParked:
      return "parked";
    case LiveState::kRetired:
      return "retired";
    case LiveState::kSpinning:
      return "spins";
    case LiveState::kAwake:
      break;
  }
  if (worker.fiber == 0) return "own code";  // of a bound thread
  return state == 'S' || state == 'D' ? "blocks" : "runs";
}

std::string line_of_process(const TopView& view) {
  const os::Nanoseconds age = between(view.picture.at, view.now);
  std::string text = format("process %ld (%s)", view.process, printable(view.command).c_str());
  if (view.state == 'T' || view.state == 't') {
    text += " is stopped";
  } else if (view.state == 'Z' || view.state == '\0') {
    text += " has ended";
  } else if (age > kStale) {
    text += " does not write its page";
  }
  if (age > kStale) text += format("; last picture %s ago", duration(age).c_str());
  return text;
}

std::string line_of(const LiveScheduler& scheduler, const LiveScheduler& before, std::size_t index,
                    os::Nanoseconds time, os::Nanoseconds now) {
  return format(
      "scheduler %zu: %llu of %llu workers active, %s jobs/s, %llu jobs wait (oldest %s), "
      "%llu fibers (%llu blocked), %llu external, %llu blocking threads",
      index, static_cast<unsigned long long>(scheduler.active_workers),
      static_cast<unsigned long long>(scheduler.workers),
      rate(scheduler.jobs, before.jobs, time).c_str(),
      static_cast<unsigned long long>(scheduler.waiting_jobs),
      since(scheduler.oldest_job, now).c_str(), static_cast<unsigned long long>(scheduler.fibers),
      static_cast<unsigned long long>(scheduler.blocked_fibers),
      static_cast<unsigned long long>(scheduler.participants),
      static_cast<unsigned long long>(scheduler.blocking_threads));
}

// A worker of the same scheduler and thread; otherwise the worker itself, so that its rates are 0.
const LiveWorker& earlier_of(const LiveWorker& worker, const LivePicture& before,
                             std::size_t place) {
  const LiveWorker& same = before.worker[place];
  return same.thread == worker.thread && same.index == worker.index ? same : worker;
}

std::string line_of(const LiveWorker& worker, const LiveWorker& before, char state,
                    os::Nanoseconds time, os::Nanoseconds now) {
  return format("%9u %6u  %-9s %9s %8s %8s %8s %9s %7llu %7llu  %s", worker.scheduler, worker.index,
                word_of(worker, state), since(worker.unchanged_since, now).c_str(),
                rate(worker.jobs, before.jobs, time).c_str(),
                rate(worker.steals, before.steals, time).c_str(),
                rate(worker.parks, before.parks, time).c_str(),
                rate(worker.switches, before.switches, time).c_str(),
                static_cast<unsigned long long>(worker.queue),
                static_cast<unsigned long long>(worker.fibers), text_of(worker.label).c_str());
}

std::string line_of(const LiveWait& wait, os::Nanoseconds now) {
  const char* const kind = wait.kind < kKinds.size() ? kKinds[wait.kind] : "wait";
  std::string text = format(
      "%9llu %9s  %-11s %18s  %s", static_cast<unsigned long long>(wait.count),
      since(wait.since, now).c_str(), kind,
      wait.object != 0 ? format("0x%llx", static_cast<unsigned long long>(wait.object)).c_str()
                       : "-",
      text_of(wait.label).c_str());
  if (wait.owner != 0)
    text += format(", for fiber %llu", static_cast<unsigned long long>(wait.owner));
  return text;
}

void add_more(std::vector<std::string>& lines, std::uint64_t all, std::size_t shown,
              const char* what) {
  if (all > shown)
    lines.push_back(format("and %llu more %s", static_cast<unsigned long long>(all - shown), what));
}

void add_waits(std::vector<std::string>& lines, const TopView& view) {
  const LivePicture& picture = view.picture;
  if (picture.waits_at == 0) return;
  lines.emplace_back();
  std::string title =
      format("waits, %s ago", duration(between(picture.waits_at, view.now)).c_str());
  if (picture.silent_workers != 0)
    title += format("; %llu workers did not answer",
                    static_cast<unsigned long long>(picture.silent_workers));
  lines.push_back(title);
  lines.push_back(format("%9s %9s  %-11s %18s  %s", "fibers", "longest", "for", "object", "who"));
  const std::size_t shown = std::min<std::size_t>(picture.wait_sites, LivePicture::kWaits);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(line_of(picture.wait[i], view.now));
  add_more(lines, picture.wait_sites, shown, "kinds of waits");
}

}  // namespace

std::string printable(std::string_view text) {
  std::array<char, 512> form;
  return {form.data(), jobs::detail::escape(text, form, jobs::detail::Quoting::kPlain)};
}

std::string_view cut_to_columns(std::string_view line, std::size_t columns) noexcept {
  // The widths of the C library. The program keeps the locale in which it has started.
  static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = uselocale(utf8);
  std::size_t end = 0;
  while (end < line.size()) {
    wchar_t character = 0;
    std::mbstate_t state{};
    std::size_t bytes = std::mbrtowc(&character, line.data() + end, line.size() - end, &state);
    int width = 1;
    if (bytes == 0 || bytes > line.size() - end) {
      bytes = 1;  // no valid UTF-8
    } else {
      width = std::max(wcwidth(character), 0);
    }
    if (static_cast<std::size_t>(width) > columns) break;
    columns -= static_cast<std::size_t>(width);
    end += bytes;
  }
  uselocale(before);
  return line.substr(0, end);
}

std::vector<std::string> lines_of(const TopView& view) {
  const LivePicture& picture = view.picture;
  const LivePicture& before = view.before;
  const os::Nanoseconds time = between(before.at, picture.at);
  std::vector<std::string> lines = {line_of_process(view)};
  const std::size_t schedulers =
      std::min<std::size_t>(picture.schedulers, LivePicture::kSchedulers);
  for (std::size_t i = 0; i < schedulers; ++i)
    lines.push_back(line_of(picture.scheduler[i], before.scheduler[i], i, time, view.now));
  add_more(lines, picture.schedulers, schedulers, "schedulers");
  lines.emplace_back();
  lines.push_back(format("%9s %6s  %-9s %9s %8s %8s %8s %9s %7s %7s  %s", "scheduler", "worker",
                         "state", "for", "jobs/s", "steals/s", "parks/s", "switch/s", "queue",
                         "fibers", "runs"));
  const std::size_t workers = std::min<std::size_t>(picture.workers, LivePicture::kWorkers);
  for (std::size_t i = 0; i < workers; ++i) {
    const LiveWorker& worker = picture.worker[i];
    const char state = i < view.thread_states.size() ? view.thread_states[i] : '\0';
    lines.push_back(line_of(worker, earlier_of(worker, before, i), state, time, view.now));
  }
  add_more(lines, picture.workers, workers, "workers");
  add_waits(lines, view);
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
