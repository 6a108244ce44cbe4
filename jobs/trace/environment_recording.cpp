// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentRecording: the check of the variable, and the file at the exit.
#include "jobs/trace/environment_recording.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "jobs/base/environment.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/trace/dumps/dump_settings.hpp"
#include "jobs/trace/dumps/dump_thread.hpp"
#include "jobs/trace/dumps/slow_frames.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/recording_file.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr const char* kVariable = "JOBS_TRACE";

struct RecordedRun {
  const DumpSettings settings;
  const pid_t process = getpid();  // A forked child does not write the file of its parent.
  const std::uint64_t begin = (start_of_calibration(), TraceClock::ticks());
  Recorder::Starter starter{};
  std::unique_ptr<DumpThread> dumps;  // null: no file is written within the run

  void write(const std::string& path) const {
    write_recording(path, begin, TraceClock::ticks(), settings.last);
  }
};

// Never destroyed: workers may run until the process ends.
constinit RecordedRun* recorded_run = nullptr;

void start_dumps(RecordedRun& run) {
  if (!run.settings.wants_thread()) return;
  try {
    run.dumps = std::make_unique<DumpThread>(
        run.settings, [](const std::string& path) { recorded_run->write(path); });
  } catch (const std::system_error& error) {
    jobs::detail::refuse_thread(error.code(), "files within a run",
                                "do without JOBS_TRACE_SLOW and JOBS_TRACE_SIGNAL");
  }
  if (run.settings.slow != 0) SlowFrames::start(*run.dumps, run.settings.slow);
}

// Removes the file if this function has created it: a process that is killed leaves no empty file.
void check_writable(const std::string& path) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_CLOEXEC;
  constexpr mode_t kMode = 0666;
  int file = open(path.c_str(), kFlags | O_EXCL, kMode);
  const bool is_new = file >= 0;
  if (!is_new && errno == EEXIST) file = open(path.c_str(), kFlags, kMode);
  if (file < 0) {
    jobs::detail::refuse_variable(kVariable, path,
                                  std::string("cannot be written: ") + std::strerror(errno));
  }
  close(file);
  if (is_new) unlink(path.c_str());
}

// The program may change its folder before the exit.
std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return error ? path : absolute.string();
}

}  // namespace

void EnvironmentRecording::start_once() {
  static std::once_flag started;
  std::call_once(started, [] {
    DumpSettings settings = read_dump_settings(jobs::detail::read_variable(kVariable));
    const std::string& path = settings.path;
    if (path.empty()) return;
    if (!has_known_format(path))
      jobs::detail::refuse_variable(kVariable, path,
                                    "is no name of a file that ends in .html, .json or .jtr");
    check_writable(path);
    settings.path = absolute_path(path);
    std::unique_ptr<RecordedRun> run(
        new RecordedRun{.settings = std::move(settings), .dumps = nullptr});
    recorded_run = run.get();
    start_dumps(*run);
    recorded_run = run.release();
    recorded_run->starter = Recorder::instance().start();
    std::atexit([] { write_at_exit(); });
  });
}

void EnvironmentRecording::write_at_exit() noexcept {
  if (recorded_run->process != getpid()) return;
  if (recorded_run->dumps != nullptr) recorded_run->dumps->stop();
  Recorder::instance().stop(recorded_run->starter);
  try {
    recorded_run->write(recorded_run->settings.path);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "jobs: %s: %s\n", kVariable, error.what());
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
