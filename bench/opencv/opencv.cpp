// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The loop by the back-end with which OpenCV was built.
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/core/parallel/parallel_backend.hpp>

#include "bench/opencv/workload.hpp"

namespace bench::opencv {

Figures on_opencv(const Conditions& conditions) {
  cv::parallel::setParallelForBackend(std::shared_ptr<cv::parallel::ParallelForAPI>(), false);
  cv::setNumThreads(static_cast<int>(conditions.workers));
  return {pixels_ns()};
}

}  // namespace bench::opencv
