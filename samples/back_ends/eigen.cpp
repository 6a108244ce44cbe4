// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A product of tensors on the workers of jobs. docs/back-ends.md shows parts of it.
#include "jobs/interop/eigen.hpp"  // before <unsupported/Eigen/CXX11/Tensor>

#include <iostream>
#include <unsupported/Eigen/CXX11/Tensor>

int main() {
  using Matrix = Eigen::Tensor<float, 2>;
  Matrix a(256, 256), b(256, 256), c(256, 256);
  a.setConstant(1);
  b.setConstant(2);

  jobs::interop::EigenThreadPool pool;
  const Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
  const Eigen::array<Eigen::IndexPair<int>, 1> pairs = {Eigen::IndexPair<int>(1, 0)};
  c.device(device) = a.contract(b, pairs);  // the product of two matrices

  std::cout << "each element is " << c(0, 0) << '\n';
  return c(0, 0) == 512 && c(255, 255) == 512 ? 0 : 1;
}
