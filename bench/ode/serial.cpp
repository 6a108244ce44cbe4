// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The steps without threads, ODE's default.
#include "bench/ode/workload.hpp"

namespace bench::ode {

Figures serial(const Conditions&) {
  Pile pile({});
  const double ns = step_ns(pile);
  expect_serial_state(pile);
  return {ns};
}

}  // namespace bench::ode
