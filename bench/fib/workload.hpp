// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fib: the naive recursion; every call except the leaves forks its first half. Without a cutoff,
// the time is the time of the runtime. Unit: ns per call of fib; every second call is a fork.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::fib {

inline constexpr int kInput = 31;
inline constexpr std::int64_t kExpected = 1'346'269;
inline constexpr std::int64_t kCalls = 2 * 2'178'309 - 1;  // 2 F(n + 1) - 1

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_jobs_with_context(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::fib
