// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The timing wheel against a sorted container, through random arms, disarms and moves of the clock.
// Also tests the length of the wheel's checks.
#pragma once

#include <cstdint>
#include <string>

namespace jobs::test {

// Returns an empty string if the wheel agrees with the container at each of `steps` steps;
// otherwise its deviation and the step.
std::string compare_timers_with_oracle(std::uint64_t seed, int steps);

// Arms `count` deadlines close together, after a short or a long time. Returns an empty string if
// no check moved more than a few batches of them; otherwise the check that did.
std::string check_length_of_looks(std::uint64_t seed, int count);

}  // namespace jobs::test
