// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture by tbb::parallel_for() with its default partitioner.
#include "bench/frames/workload.hpp"

namespace bench::frames {

Figures on_tbb(const Conditions& conditions) {
  return {picture_ns(*::frames::make_tbb_backend(conditions.workers), conditions)};
}

}  // namespace bench::frames
