// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The timing wheel against a sorted container, through random arms, disarms and moves of the clock; and how long its looks are.
#pragma once

#include <cstdint>
#include <string>

namespace jobs::test {

// Empty if the wheel did at each of `steps` steps what the container says; else what it did, and at which step.
std::string compare_timers_with_oracle(std::uint64_t seed, int steps);

// So many deadlines come near together, after a short or a long time. Empty if no look moved more than a few batches of them; else
// which look did.
std::string check_length_of_looks(std::uint64_t seed, int count);

}  // namespace jobs::test
