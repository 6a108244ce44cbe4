// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the simulation of the scheduler runs: small programs that use one part of the library each, in ways that the seed chooses, and
// check what was promised of it. All of them start a scheduler of 1 to 8 workers and shut it down.
#pragma once

#include <span>

#include "jobs/testing.hpp"

namespace jobs::test {

struct Scenario {
  const char* name;
  testing::Faults faults;
  void (*body)();
};

std::span<const Scenario> scenarios();

}  // namespace jobs::test
