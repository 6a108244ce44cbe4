// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Chaos: what the system might do to us at any moment, done often. In a build with JOBS_CHAOS each point() at which threads meet may
// yield, sleep or dawdle, and what may go wrong by itself (a theft, a sleep) does, when strikes() says so. Drawn from the number in
// the environment's JOBS_CHAOS; without it a build is calm. In a simulation (jobs/testing.hpp) its seed decides. In any other build all of this
// is empty. For the layers above.
//
// The same seed gives each thread the same dice; what the system does in between is its own affair, so a run is never quite the same.
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail::chaos {

#if (defined(JOBS_CHAOS) || defined(JOBS_SIMULATED)) && !defined(JOBS_MODEL)

JOBS_EXPORT void point() noexcept;
// Whether it fails this time.
[[nodiscard]] JOBS_EXPORT bool strikes() noexcept;

#else

constexpr void point() noexcept {}
[[nodiscard]] constexpr bool strikes() noexcept { return false; }

#endif

}  // namespace jobs::inline JOBS_ABI::detail::chaos
