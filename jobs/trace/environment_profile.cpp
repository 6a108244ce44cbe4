// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentProfile: the check of the variable, and the text at the exit.
#include "jobs/trace/environment_profile.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>

#include "jobs/base/environment.hpp"
#include "jobs/profile.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr const char* kVariable = "JOBS_PROFILE";

struct Run {
  pid_t process;  // A forked child does not print the profile of its parent.
  Profile profile;
};

// Never destroyed: workers may run until the process ends.
constinit Run* run = nullptr;

}  // namespace

void EnvironmentProfile::start_once() {
  static std::once_flag started;
  std::call_once(started, [] {
    const std::string_view value = jobs::detail::read_variable(kVariable);
    if (value.empty() || jobs::detail::parse_variable(kVariable, value, 0, 1) == 0) return;
    run = new Run{.process = getpid(), .profile = {}};
    std::atexit([] { print_at_exit(); });
  });
}

void EnvironmentProfile::print_at_exit() noexcept {
  if (run->process != getpid()) return;
  try {
    run->profile.stop();
    std::fputs(run->profile.text().c_str(), stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jobs: %s: %s\n", kVariable, error.what());
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
