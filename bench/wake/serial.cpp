// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// wake_idle without a runtime: both iterations, one after the other.
#include "bench/wake/workload.hpp"

namespace bench::wake {

Figures idle_serial(const Conditions&) {
  return {idle_ns([](auto body) {
    body(0);
    body(1);
  })};
}

}  // namespace bench::wake
