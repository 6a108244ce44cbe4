// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// How long a stress test lasts. By default as long as CI has time for; JOBS_TEST_SCALE multiplies that, for a soak by hand.
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

// `rounds` of a test that takes well under a second; a sanitizer makes everything several times slower.
inline int scaled(int rounds) { return scale() * (kSanitized ? rounds / 5 : rounds); }

}  // namespace jobs::test
