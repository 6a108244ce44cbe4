// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The seed of a random test: new in each run, or JOBS_TEST_SEED to repeat one. The test prints it
// at once, because a test that hangs prints nothing at its end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace jobs::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char* const fixed = std::getenv("JOBS_TEST_SEED");
    const std::uint64_t drawn = fixed != nullptr ? std::stoull(fixed) : std::random_device{}();
    std::printf("repeat with JOBS_TEST_SEED=%llu\n", static_cast<unsigned long long>(drawn));
    std::fflush(stdout);
    return drawn;
  }();
  return value;
}

// The text beside a failure: how to repeat the run.
inline std::string replay() { return "repeat with JOBS_TEST_SEED=" + std::to_string(seed()); }

}  // namespace jobs::test
