// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Inputs, kernels and expected results of the loops.
#include "bench/loops/workload.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "bench/support/chain.hpp"

namespace bench::loops {
namespace {

// Small integers, so that sums of their products are exact in a float.
constexpr float kFactor = 3;
constexpr std::int64_t kInputs = 16;
float input(std::int64_t i) { return static_cast<float>(i % kInputs); }

constexpr std::int64_t kOneMicrosecondSteps = 800;
// Iteration i of the heavy-tailed loop: half of the iterations cost kLeastSteps, and each next
// power of two has half as many iterations.
constexpr std::int64_t kLeastSteps = 280;
constexpr int kMaxLevel = 12;
std::int64_t heavy_steps(std::int64_t i) {
  const auto mixed =
      static_cast<std::uint32_t>((static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u) >> 32);
  return kLeastSteps << std::min(std::countr_zero(mixed), kMaxLevel);
}

constexpr std::int64_t kWidth = 600;
constexpr std::int64_t kHeight = Mandelbrot::kIterations;
constexpr int kMaxDepth = 1'000;

int depth(double re, double im) {
  double x = 0;
  double y = 0;
  int n = 0;
  for (; n < kMaxDepth && x * x + y * y < 4; ++n) {
    const double next = x * x - y * y + re;
    y = 2 * x * y + im;
    x = next;
  }
  return n;
}

}  // namespace

void Light::reset() {
  x_.resize(kIterations);
  for (std::int64_t i = 0; i < kIterations; ++i) x_[static_cast<std::size_t>(i)] = input(i);
  y_.assign(kIterations, 0);
}
void Light::run(std::int64_t begin, std::int64_t end) {
  const float* const x = x_.data();
  float* const y = y_.data();
#pragma GCC ivdep
  for (std::int64_t i = begin; i < end; ++i) y[i] += kFactor * x[i];
}
void Light::check(int passes) const {
  for (std::int64_t i = 0; i < kIterations; ++i) {
    expect_equal(static_cast<float>(passes) * kFactor * input(i), y_[static_cast<std::size_t>(i)]);
  }
}

void OneMicrosecond::reset() { out_.assign(kIterations, 0); }
void OneMicrosecond::run(std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) {
    out_[static_cast<std::size_t>(i)] += chain(kFirst, kOneMicrosecondSteps);
  }
}
void OneMicrosecond::check(int passes) const {
  const std::uint32_t each =
      static_cast<std::uint32_t>(passes) * chain(kFirst, kOneMicrosecondSteps);
  for (const std::uint32_t out : out_) expect_equal(each, out);
}

void Triangular::reset() { out_.assign(kIterations, 0); }
void Triangular::run(std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i) out_[static_cast<std::size_t>(i)] += chain(kFirst, i);
}
void Triangular::check(int passes) const {
  std::uint32_t once = kFirst;
  for (const std::uint32_t out : out_) {
    expect_equal(static_cast<std::uint32_t>(passes) * once, out);
    once = step(once);
  }
}

void HeavyTailed::reset() { out_.assign(kIterations, 0); }
void HeavyTailed::run(std::int64_t begin, std::int64_t end) {
  for (std::int64_t i = begin; i < end; ++i)
    out_[static_cast<std::size_t>(i)] += chain(kFirst, heavy_steps(i));
}
void HeavyTailed::check(int passes) const {
  static const std::vector<std::uint32_t> once = [] {
    HeavyTailed alone;
    alone.reset();
    alone.run(0, kIterations);
    return alone.out_;
  }();
  for (std::size_t i = 0; i < once.size(); ++i)
    expect_equal(static_cast<std::uint32_t>(passes) * once[i], out_[i]);
}

void Mandelbrot::reset() { picture_.assign(kWidth * kHeight, 0); }
void Mandelbrot::run(std::int64_t begin, std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    for (std::int64_t column = 0; column < kWidth; ++column) {
      picture_[static_cast<std::size_t>(row * kWidth + column)] =
          static_cast<std::uint16_t>(depth(-2.0 + 3.0 * static_cast<double>(column) / kWidth,
                                           -1.0 + 2.0 * static_cast<double>(row) / kHeight));
    }
  }
}
void Mandelbrot::check(int) const {
  static const std::uint64_t expected = [] {
    Mandelbrot alone;
    alone.reset();
    alone.run(0, kIterations);
    return std::accumulate(alone.picture_.begin(), alone.picture_.end(), std::uint64_t{0});
  }();
  expect_equal(expected, std::accumulate(picture_.begin(), picture_.end(), std::uint64_t{0}));
}

}  // namespace bench::loops
