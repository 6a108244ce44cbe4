// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The timing wheel against a sorted container, through random arms, disarms and moves of the clock.
#pragma once

#include <cstdint>
#include <string>

namespace jobs::test {

// Empty if the wheel did at each of `steps` steps what the container says; else what it did, and at which step.
std::string compare_timers_with_oracle(std::uint64_t seed, int steps);

}  // namespace jobs::test
