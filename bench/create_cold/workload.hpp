// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_cold: fibers that exist at the same time, on stacks of 16 KiB that have never been used, on one worker: each is made, runs until it
// waits, is woken and joined. Beside it the page faults that this takes alone, one for each stack, and std::thread, 500 at a time,
// with its stacks. Unit: ns for one, from the first construction to the return of the last join().
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::create_cold {

inline constexpr std::int64_t kFibers = 20'000;
inline constexpr std::int64_t kThreads = 500;
inline constexpr std::size_t kStackSize = 16 * 1024;

Figures on_jobs(const Conditions&);
Figures on_boost_fiber(const Conditions&);
Figures on_threads(const Conditions&);
Figures page_faults(const Conditions&);

}  // namespace bench::create_cold
