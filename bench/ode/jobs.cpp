// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps by jobs::interop::OdeThreading.
#include "bench/ode/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "jobs/interop/ode.hpp"

namespace bench::ode {

Figures on_jobs(const Conditions& conditions) {
  Pile pile({});
  jobs::interop::OdeThreading threading(pile.world());
  const double ns = inside_jobs(conditions, [&] { return step_ns(pile); });
  expect_serial_state(pile);
  return {ns};
}

}  // namespace bench::ode
