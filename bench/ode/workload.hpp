// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ode: steps of a world of 64 stacks of 12 boxes that have begun to fall, by dWorldQuickStep: on
// the workers of jobs, on ODE's own pool of threads, and without threads. Unit: ns per step without
// the search for contacts. Expected: the state of the serial side, bit by bit. ODE's pool reaches
// another state each time, because its threads race for the rows of an island. There, every box
// must have a plausible position.
#pragma once

#include <cstdint>

#include "bench/ode/pile.hpp"
#include "bench/support/contender.hpp"

namespace bench::ode {

// The steps of one measurement; `ns` is the time of all of them.
inline constexpr int kWarmUpSteps = 10;
inline constexpr int kSteps = 50;

// Returns the time per step.
double step_ns(Pile& pile);
void expect_serial_state(const Pile& pile);

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_ode_pool(const Conditions&);

}  // namespace bench::ode
