// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The length of a stress test. The default fits the time of CI; JOBS_TEST_SCALE multiplies it, for
// a soak by hand.
#pragma once

#include <cstdlib>

#include "tests/support/sanitized.hpp"

namespace jobs::test {

inline int scale() {
  static const int value = [] {
    const char* const text = std::getenv("JOBS_TEST_SCALE");
    return text != nullptr ? std::atoi(text) : 1;
  }();
  return value;
}

// Scales the `rounds` of a test that takes well under a second; a sanitizer makes every operation
// several times slower.
inline int scaled(int rounds) { return scale() * (kSanitized ? rounds / 5 : rounds); }

}  // namespace jobs::test
