// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// blocked_100k: 100,000 fibers that all wait for one event at the same time, on a new runtime.
// Figures: ns per fiber from the first spawn until the last fiber waits, and KiB of resident memory
// per fiber.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::blocked_100k {

inline constexpr std::int64_t kFibers = 100'000;

// Returns the memory that earlier rounds have freed to the kernel, so that every stack is cold
// again.
void forget_freed_memory();

Figures on_jobs(const Conditions&);
Figures on_boost_fiber(const Conditions&);

}  // namespace bench::blocked_100k
