// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The check of the examples: a wrong result is a line, and a failure of the program.
#pragma once

#include <iostream>

namespace example {

inline int failures = 0;

inline void check(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "wrong: " << what << '\n';
  ++failures;
}

}  // namespace example
