// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The check of the examples: a wrong result is a line, and a failure of the program.
#pragma once

#include <iostream>
#include <string_view>

namespace example {

inline int failures = 0;

// `text`: the details, with a line end; empty for none.
inline void check(bool holds, const char* what, std::string_view text = {}) {
  if (holds) return;
  std::cerr << "wrong: " << what << '\n' << text;
  ++failures;
}

}  // namespace example
