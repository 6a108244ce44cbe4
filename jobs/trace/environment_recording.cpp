// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentRecording: the check of the variable, and the file at the exit.
#include "jobs/trace/environment_recording.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "jobs/base/environment.hpp"
#include "jobs/trace.hpp"
#include "jobs/trace/recording_file.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr const char* kVariable = "JOBS_TRACE";

struct RecordedRun {
  std::string path;
  pid_t process;  // A forked child does not write the file of its parent.
  Recording recording;
};

// Never destroyed: workers may run until the process ends.
constinit RecordedRun* recorded_run = nullptr;

void check_writable(const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "ab");
  if (file != nullptr) {
    std::fclose(file);
    return;
  }
  jobs::detail::refuse_variable(kVariable, path,
                                std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace

void EnvironmentRecording::start_once() {
  static std::once_flag started;
  std::call_once(started, [] {
    const std::string path = jobs::detail::read_variable(kVariable);
    if (path.empty()) return;
    if (!has_known_format(path))
      jobs::detail::refuse_variable(kVariable, path,
                                    "is no name of a file that ends in .html or .json");
    check_writable(path);
    recorded_run = new RecordedRun{.path = path, .process = getpid(), .recording = {}};
    std::atexit([] { write_at_exit(); });
  });
}

void EnvironmentRecording::write_at_exit() noexcept {
  if (recorded_run->process != getpid()) return;
  recorded_run->recording.stop();
  try {
    recorded_run->recording.write(recorded_run->path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jobs: %s: %s\n", kVariable, error.what());
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
