// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The text of a diagnosis.
#include <algorithm>
#include <array>
#include <cstdio>

#include "jobs/base/message.hpp"
#include "jobs/diagnosis.hpp"
#include "jobs/trace/advice/findings.hpp"
#include "jobs/trace/format/readable_time.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace {

constexpr std::size_t kRootRows = 10;
constexpr std::size_t kLongestRoot = 160;
constexpr std::array<unsigned, 5> kCores = {2, 4, 8, 16, 64};

template <class... Values>
void add_line(std::string& text, const char* format, Values... values) {
  std::array<char, 256> line;
  const int length = std::snprintf(line.data(), line.size(), format, values...);
  text.append(line.data(),
              std::min<std::size_t>(static_cast<std::size_t>(length), line.size() - 1));
}

std::string printable_root(std::string_view name) {
  std::array<char, kLongestRoot> text;
  const std::size_t length = jobs::detail::escape(name, text, jobs::detail::Quoting::kPlain);
  return {text.data(), length};
}

void append_root(std::string& text, const RootProfile& root) {
  add_line(text, "jobs:   %8llu %9s %9s %8.1f %8.1f ", static_cast<unsigned long long>(root.count),
           detail::readable_time(root.work).c_str(), detail::readable_time(root.span).c_str(),
           root.parallelism(), root.burdened_parallelism());
  for (const unsigned cores : kCores) {
    const SpeedUp speed_up = root.expected(cores);
    add_line(text, " %4.1f-%-4.1f", speed_up.low, speed_up.high);
  }
  text.append("  ").append(printable_root(root.name)).append("\n");
}

}  // namespace

std::string Diagnosis::text() const {
  std::string text =
      "jobs: roots: work, longest path (span), and the speed-up to expect on 2 to 64 cores\n"
      "jobs:      count      work      span parallel burdened   2 cores   4 cores   8 cores  16 "
      "cores  64 cores  root\n";
  const std::vector<RootProfile> rows = roots();
  const std::size_t shown = std::min(rows.size(), kRootRows);
  for (std::size_t i = 0; i < shown; ++i) append_root(text, rows[i]);
  if (rows.size() > shown) add_line(text, "jobs:   and %zu more\n", rows.size() - shown);
  const std::vector<Finding> found = findings();
  text += found.empty() ? "jobs: findings: none\n" : "jobs: findings, the largest loss first\n";
  for (const Finding& finding : found) {
    add_line(text, "jobs:   %3.0f %%  %s in ", 100 * finding.share, finding.cause.c_str());
    text.append(printable_root(finding.place)).append(": ").append(finding.text).append("\n");
  }
  return text;
}

}  // namespace jobs::inline JOBS_ABI::trace
