// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ode: steps of a world of 64 stacks of 12 boxes that have begun to fall, by dWorldQuickStep: on our workers, on ODE's own pool of
// threads, without threads. Unit: ns per step, the search for contacts left out. Expected: the state that the serial side reaches, bit by
// bit. ODE's pool comes to another one each time, for its threads race for the rows of an island; there every box must be where
// one may be.
#pragma once

#include <cstdint>

#include "bench/ode/pile.hpp"
#include "bench/support/contender.hpp"

namespace bench::ode {

// Of one measurement, for which `ns` is the time of all steps.
inline constexpr int kWarmUpSteps = 10;
inline constexpr int kSteps = 50;

// Per step.
double step_ns(Pile& pile);
void expect_serial_state(const Pile& pile);

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_ode_pool(const Conditions&);

}  // namespace bench::ode
