// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a profile.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "jobs/base/message.hpp"
#include "jobs/base/os.hpp"
#include "jobs/profile.hpp"
#include "jobs/trace/format/code_place.hpp"
#include "jobs/trace/format/readable_time.hpp"
#include "jobs/trace/format/source_lines.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace {

using std::chrono::nanoseconds;

constexpr std::size_t kRows = 10;
constexpr std::size_t kLongestPlace = 120;
// Every profile has some page faults: those of the recorder itself, and of code that runs first.
constexpr std::uint64_t kFewestFaults = 32;

template <class... Values>
void append(std::string& text, const char* format, Values... values) {
  std::array<char, 256> line;
  const int length = std::snprintf(line.data(), line.size(), format, values...);
  text.append(line.data(),
              std::min<std::size_t>(static_cast<std::size_t>(length), line.size() - 1));
}

std::string printable(std::string_view name) {
  std::array<char, kLongestPlace> text;
  const std::size_t length = jobs::detail::escape(name, text, jobs::detail::Quoting::kPlain);
  return {text.data(), length};
}

void append_worker(std::string& text, const WorkerProfile& worker) {
  const auto share = [total = worker.total()](nanoseconds time) {
    return total.count() == 0
               ? 0
               : 100 * static_cast<double>(time.count()) / static_cast<double>(total.count());
  };
  append(text, "jobs:   %-12s %9s %8.1f%% %9.1f%% %9.1f%% %8.1f%% %8.1f%% %7.1f%%\n",
         worker.name.c_str(), detail::readable_time(worker.total()).c_str(), share(worker.useful),
         share(worker.scheduler), share(worker.searching), share(worker.parked),
         share(worker.own_code), share(worker.without_cpu));
}

void append_places(std::string& text, const std::vector<ProfilePlace>& places,
                   const detail::SourceLines& lines) {
  const std::size_t rows = std::min(places.size(), kRows);
  for (std::size_t i = 0; i < rows; ++i) {
    const ProfilePlace& place = places[i];
    append(text, "jobs:   %10llu %9s %9s %9s  ", static_cast<unsigned long long>(place.count),
           detail::readable_time(place.total).c_str(), detail::readable_time(place.p50).c_str(),
           detail::readable_time(place.p99).c_str());
    if (!place.wait.empty()) {
      text.append(place.wait);
      if (!place.object_name.empty()) {
        text.append(" ").append(place.object_name);
      } else if (place.object != nullptr) {
        text.append(" ").append(os::describe_address(place.object));
      }
      text += " in ";
    }
    text.append(printable(detail::short_name(place.name)));
    text += detail::line_after_name(reinterpret_cast<std::uintptr_t>(place.function), lines);
    if (place.page_faults >= kFewestFaults)
      append(text, ": %llu page faults", static_cast<unsigned long long>(place.page_faults));
    text += "\n";
  }
  if (places.size() > rows) append(text, "jobs:   and %zu more\n", places.size() - rows);
}

}  // namespace

std::string Profile::text() const {
  const detail::SourceLines lines;
  std::string text =
      "jobs: profile: where the time of the workers went (no CPU: awake, but not running)\n"
      "jobs:   worker            time   useful  scheduler  searching   parked own code  no CPU\n";
  WorkerProfile sum;
  sum.name = "all";
  for (const WorkerProfile& worker : workers()) {
    append_worker(text, worker);
    sum.useful += worker.useful;
    sum.scheduler += worker.scheduler;
    sum.searching += worker.searching;
    sum.parked += worker.parked;
    sum.own_code += worker.own_code;
    sum.without_cpu += worker.without_cpu;
  }
  append_worker(text, sum);
  text +=
      "jobs: functions of jobs, and Fibers by their creation site, without their waits\n"
      "jobs:        count     total       p50       p99  function\n";
  append_places(text, functions(), lines);
  text +=
      "jobs: waits of jobs and Fibers, until they run again\n"
      "jobs:        count     total       p50       p99  wait\n";
  append_places(text, waits(), lines);
  return text;
}

}  // namespace jobs::inline JOBS_ABI::trace
