// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The scenarios of the simulation: small programs that use one part of the library each. The seed
// chooses the variant, and the scenario checks the guarantees of that part. Each scenario starts a
// scheduler of 1 to 8 workers and shuts it down.
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

// Scenarios in files of their own.
void shutdown_of_participants();
void neighbours();
void visitors();
void visitors_of_changing_machine();
void ages();
void off_main();
void seats();

}  // namespace jobs::test
