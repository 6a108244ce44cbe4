// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DumpThread: writes a file of the recording when a frame was slow, or when a signal arrives. Files
// have the numbers 1, 2, … in their order. Slow frames write at most kMostSlowFiles files, and none
// while a file is written, because the writing itself delays frames.
//
// The signal handler only posts a semaphore. The object exists until the process ends: a handler
// may run at any time.
#pragma once

#include <semaphore.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/trace/dumps/dump_settings.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class DumpThread {
 public:
  static constexpr unsigned kMostSlowFiles = 10;

  // Writes the file with that name. May throw.
  using Write = void (*)(const std::string& path);

  // Starts the thread, and takes the signal. The settings want a thread. Throws
  // Error(kBadEnvironment): the program handles the signal already; std::system_error: there is no
  // thread.
  DumpThread(const DumpSettings& settings, Write write);

  // A frame was slow. Any thread.
  void slow_frame(os::Nanoseconds length) noexcept;
  // Writes the files that are requested, and ends the thread. In a forked child, does nothing.
  void stop() noexcept;

 private:
  static void on_signal(int) noexcept;
  void check_signal() const;
  void take_signal() noexcept;
  void run() noexcept;
  void write_file(const std::string& reason) noexcept;

  const DumpSettings settings_;
  const Write write_;
  const pid_t process_;
  sem_t requested_;
  // Relaxed: they publish nothing; the semaphore orders them.
  std::atomic<unsigned> signals_{0};
  std::atomic<os::Nanoseconds> slow_length_{0};  // 0: no slow frame is to be written
  std::atomic<bool> is_writing_{false};
  std::atomic<bool> is_stopping_{false};
  unsigned files_ = 0;
  std::atomic<unsigned> slow_files_{0};
  jobs::detail::Thread thread_;  // last: it uses the other members
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
