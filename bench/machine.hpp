// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Where and with what a figure was measured: no number without it.
#pragma once

#include <string>

namespace bench {

struct Machine {
  std::string name;      // processor, number of processors, kernel
  std::string compiler;  // with the flags
  std::string peers;     // versions of the libraries that we compare with
};

Machine this_machine();

}  // namespace bench
