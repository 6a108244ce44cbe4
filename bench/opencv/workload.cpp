// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The measurement of the loop over pixels, and the loop without threads.
#include "bench/opencv/workload.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>

#include "bench/support/stopwatch.hpp"

namespace bench::opencv {
namespace {

constexpr int kRows = 1080, kColumns = 1920;

float pixel_at(int y, int x) {
  return std::sqrt(static_cast<float>(y) * 3.0f + static_cast<float>(x)) * 0.5f;
}

std::uint64_t bits_of(const cv::Mat& image) {
  std::uint64_t sum = 0;
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < kColumns; ++x) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, image.ptr<float>(y) + x, sizeof bits);
      sum = sum * 31 + bits;
    }
  }
  return sum;
}

void compute_serially(cv::Mat& image) {
  for (int y = 0; y < kRows; ++y) {
    float* const row = image.ptr<float>(y);
    for (int x = 0; x < kColumns; ++x) row[x] = pixel_at(y, x);
  }
}

std::uint64_t expected_bits() {
  cv::Mat image(kRows, kColumns, CV_32F);
  compute_serially(image);
  return bits_of(image);
}

template <class F>
double image_ns(F&& compute) {
  static const std::uint64_t expected = expected_bits();
  cv::Mat image(kRows, kColumns, CV_32F);
  compute(image);
  image.setTo(0);
  const Stopwatch stopwatch;
  compute(image);
  const double ns = stopwatch.elapsed_ns();
  expect_equal(expected, bits_of(image));
  return ns;
}

}  // namespace

double pixels_ns() {
  return image_ns([](cv::Mat& image) {
    image.forEach<float>([](float& pixel, const int* at) { pixel = pixel_at(at[0], at[1]); });
  });
}

Figures serial(const Conditions&) { return {image_ns(&compute_serially)}; }

}  // namespace bench::opencv
