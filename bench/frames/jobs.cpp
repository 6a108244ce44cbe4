// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture by jobs::parallel_for(), one tile at a time.
#include "bench/frames/workload.hpp"

namespace bench::frames {

Figures on_jobs(const Conditions& conditions) {
  return {picture_ns(*::frames::make_jobs_backend(conditions.workers), conditions)};
}

}  // namespace bench::frames
