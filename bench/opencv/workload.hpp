// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// opencv_pixels: a function of each of two million pixels by cv::Mat::forEach(), on the workers of
// jobs and on the back-end of Debian's OpenCV, which is oneTBB. Unit: ns per image. Expected: the
// image of the serial side.
#pragma once

#include "bench/support/contender.hpp"

namespace bench::opencv {

// Computes the image twice, and returns the time of the second one.
double pixels_ns();

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_opencv(const Conditions&);

}  // namespace bench::opencv
