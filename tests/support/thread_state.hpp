// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads of this process, as the kernel shows them. A thread that waits for a CPU does not
// sleep, so a test can wait until a thread has really gone to sleep, however busy the machine is.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace jobs::test {

// Returns the number of threads. The kernel counts a thread for a while after it has been joined.
inline std::size_t thread_count() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// Returns whether a thread of this process sleeps in the kernel. False for a thread that has ended.
inline bool is_asleep(const std::string& thread_id) {
  std::string line;
  std::getline(std::ifstream("/proc/self/task/" + thread_id + "/stat"), line);
  const std::size_t end = line.rfind(") ");
  return end != std::string::npos && line[end + 2] == 'S';
}
inline bool is_asleep(pid_t thread) { return is_asleep(std::to_string(thread)); }

// Returns whether all other threads of this process sleep.
inline bool others_sleep() {
  const std::string own = std::to_string(gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string id = task.path().filename();
    if (id != own && !is_asleep(id)) return false;
  }
  return true;
}

}  // namespace jobs::test
