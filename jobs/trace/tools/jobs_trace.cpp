// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs-trace RAW FILE: turns a raw recording (.jtr) into a page (.html) or into Chrome's format
// (.json). The exit status is 0, 1 if a file cannot be read or written, and 2 for wrong arguments.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace/recording_file.hpp"
#include "jobs/trace/tools/raw_reader.hpp"
#include "jobs/version.hpp"

namespace {

constexpr const char* kUsage = "usage: jobs-trace RUN.jtr RUN.html|RUN.json\n";

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string> all(arguments + (count > 0 ? 1 : 0), arguments + count);
  if (all.size() == 1 && all[0] == "--help") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (all.size() == 1 && all[0] == "--version") {
    std::puts("jobs-trace " JOBS_VERSION_STRING);
    return 0;
  }
  if (all.size() != 2) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::string_view target = all[1];
  if (!target.ends_with(".html") && !target.ends_with(".json")) {
    std::fprintf(stderr, "jobs-trace: %s ends neither in .html nor in .json\n", all[1].c_str());
    return 2;
  }
  try {
    jobs::trace::detail::RawReader(all[0]).write(all[1]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jobs-trace: %s\n", error.what());
    return 1;
  }
}
