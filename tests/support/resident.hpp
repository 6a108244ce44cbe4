// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The resident memory of the process, for tests that measure what the library returns to the
// system.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace jobs::test {

// Resident KiB of the process. 0: /proc cannot be read.
inline std::size_t resident_kib() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  if (file == nullptr) return 0;
  std::size_t total = 0;
  std::size_t resident = 0;
  if (std::fscanf(file, "%zu %zu", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace jobs::test
