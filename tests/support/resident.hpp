// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory and the descriptors of the process, for tests that measure what the library returns to
// the system.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <iterator>

namespace jobs::test {

struct MemoryOfProcess {
  std::size_t reserved_kib = 0;  // addresses in use
  std::size_t resident_kib = 0;
};

// Zeros: /proc cannot be read.
inline MemoryOfProcess memory_of_process() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return {};
  std::size_t total = 0;
  std::size_t resident = 0;
  if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) total = resident = 0;
  std::fclose(file);
  const std::size_t page_kib = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
  return {total * page_kib, resident * page_kib};
}

inline std::size_t resident_kib() { return memory_of_process().resident_kib; }

// Number of page faults of the calling thread that needed no input.
inline std::uint64_t page_faults_of_thread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt);
}

// Number of open descriptors of the process, with one that reads them.
inline std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

}  // namespace jobs::test
