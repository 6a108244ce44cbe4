// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loop by jobs::interop::OpenCvBackend.
#include "jobs/interop/opencv.hpp"

#include "bench/opencv/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::opencv {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    jobs::interop::use_opencv_backend();
    return Figures{pixels_ns()};
  });
}

}  // namespace bench::opencv
