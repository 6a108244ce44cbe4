// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture without a runtime.
#include "bench/frames/workload.hpp"

namespace bench::frames {

Figures serial(const Conditions& conditions) {
  return {picture_ns(*::frames::make_serial_backend(), conditions)};
}

}  // namespace bench::frames
