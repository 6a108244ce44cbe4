// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The evaluations on any device. The file that includes it chooses Eigen's namespace, as
// workload.hpp explains, and has included Eigen's tensors; therefore all names are local to a file.
#pragma once

#include "bench/eigen/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::eigen {
namespace {

template <class Device>
double contract_ns(const Device& device) {
  using Matrix = Eigen::Tensor<float, 2>;
  Matrix a(kSide, kSide), b(kSide, kSide), c(kSide, kSide);
  for (int i = 0; i < kSide * kSide; ++i) {
    a.data()[i] = static_cast<float>(i % 7);
    b.data()[i] = static_cast<float>(i % 5);
  }
  const Eigen::array<Eigen::IndexPair<int>, 1> pairs = {Eigen::IndexPair<int>(1, 0)};
  const auto multiply = [&] {
    c.device(device) = a.contract(b, pairs);
    return 0;
  };
  const double ns = checked_ns(0, multiply);
  double sum = 0, expected = 0;
  for (int i = 0; i < kSide * kSide; ++i) sum += static_cast<double>(c.data()[i]);
  for (int k = 0; k < kSide; ++k) {
    double column = 0, row = 0;
    for (int i = 0; i < kSide; ++i) {
      column += static_cast<double>(a(i, k));
      row += static_cast<double>(b(k, i));
    }
    expected += column * row;
  }
  expect_equal(expected, sum);
  return ns;
}

template <class Device>
double map_ns(const Device& device) {
  Eigen::Tensor<float, 1> x(kElements), y(kElements);
  x.setConstant(2);
  const auto map = [&] {
    y.device(device) = x * x + 1.0f;
    return 0;
  };
  const double ns = checked_ns(0, map);
  double sum = 0;
  for (int i = 0; i < kElements; ++i) sum += static_cast<double>(y(i));
  expect_equal(5.0 * kElements, sum);
  return ns;
}

}  // namespace
}  // namespace bench::eigen
