// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_cold: fibers that exist at the same time, on new stacks of 16 KiB, on one worker. Each is
// created, runs until it waits, is woken and joined. Two further rows are the page faults alone,
// one per stack, and std::thread, 500 at a time, with its stacks. Unit: ns per fiber, from the
// first construction to the return of the last join().
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
