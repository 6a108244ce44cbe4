// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentProfile: the check of the variable, and the text at the exit.
#include "jobs/trace/environment_profile.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "jobs/base/environment.hpp"
#include "jobs/diagnosis.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr const char* kProfileVariable = "JOBS_PROFILE";

struct ProfiledRun {
  pid_t process;  // A forked child prints nothing for its parent.
  Diagnosis diagnosis;
};

// Never destroyed: workers may run until the process ends.
constinit ProfiledRun* profiled_run = nullptr;

}  // namespace

void EnvironmentProfile::start_once() {
  static std::once_flag started;
  std::call_once(started, [] {
    const std::string_view value = jobs::detail::read_variable(kProfileVariable);
    if (value.empty() || jobs::detail::parse_variable(kProfileVariable, value, 0, 1) == 0) return;
    profiled_run = new ProfiledRun{.process = getpid(), .diagnosis = {}};
    std::atexit([] { print_at_exit(); });
  });
}

void EnvironmentProfile::print_at_exit() noexcept {
  if (profiled_run->process != getpid()) return;
  // A thread that waits for a job goes on before the worker has noted its end.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  try {
    profiled_run->diagnosis.stop();
    std::fputs(profiled_run->diagnosis.profile().text().c_str(), stderr);
    std::fputs(profiled_run->diagnosis.text().c_str(), stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jobs: %s: %s\n", kProfileVariable, error.what());
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
