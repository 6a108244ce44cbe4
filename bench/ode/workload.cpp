// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The measurement of the steps.
#include "bench/ode/workload.hpp"

#include "bench/support/stopwatch.hpp"

namespace bench::ode {
namespace {

double stepped_ns(Pile& pile) {
  pile.collide();
  const Stopwatch stopwatch;
  const bool has_stepped = pile.step();
  const double ns = stopwatch.elapsed_ns();
  pile.drop_contacts();
  if (!has_stepped) throw WrongResult("ODE could not step");
  return ns;
}

std::uint64_t run_serially() {
  Pile pile({});
  step_ns(pile);
  return pile.state();
}

}  // namespace

double step_ns(Pile& pile) {
  for (int i = 0; i < kWarmUpSteps; ++i) stepped_ns(pile);
  double ns = 0;
  for (int i = 0; i < kSteps; ++i) ns += stepped_ns(pile);
  return ns / kSteps;
}

void expect_serial_state(const Pile& pile) {
  static const std::uint64_t expected = run_serially();
  expect_equal(expected, pile.state());
}

}  // namespace bench::ode
