// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The machine and the software of a measurement; every published figure comes with them.
#pragma once

#include <string>

namespace bench {

struct Machine {
  std::string name;      // processor, number of processors, kernel
  std::string compiler;  // with the flags
  std::string peers;     // versions of the peers
};

Machine this_machine();

}  // namespace bench
