// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// counter_wait without a runtime.
#include "bench/counter_wait/workload.hpp"

namespace bench::counter_wait {

Figures serial(const Conditions&) {
  return {step_ns([](Slots& slots) {
    for (Slot& slot : slots) run(slot);
  })};
}

}  // namespace bench::counter_wait
