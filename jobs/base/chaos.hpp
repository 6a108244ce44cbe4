// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Chaos: rare decisions of the operating system, made often, for tests. Any thread of the upper
// layers may call these functions.
//
// In a build with JOBS_CHAOS each point() at which threads meet may yield, sleep or delay.
// Operations that may fail spuriously (a theft, a sleep) fail if injects_failure() returns true.
// JOBS_CHAOS in the environment is the seed; without it a build has no chaos. In a simulation
// (jobs/testing.hpp) the seed of the simulation decides. In every other build the functions are
// empty.
//
// The same seed gives each thread the same random numbers. The operating system adds its own
// decisions, so a run is not reproducible.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail::chaos {

#if (defined(JOBS_CHAOS) || defined(JOBS_SIMULATED)) && !defined(JOBS_MODEL)

JOBS_EXPORT void inject_delay() noexcept;
// Returns whether the operation fails this time.
[[nodiscard]] JOBS_EXPORT bool injects_failure() noexcept;

#else

constexpr void inject_delay() noexcept {}
[[nodiscard]] constexpr bool injects_failure() noexcept { return false; }

#endif

}  // namespace jobs::inline JOBS_ABI::detail::chaos
