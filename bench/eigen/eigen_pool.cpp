// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The evaluations on Eigen's own pool of threads, with the original Eigen::Barrier.
#define EIGEN_USE_THREADS
#define Eigen EigenWithItsOwnBarrier
#include <unsupported/Eigen/CXX11/Tensor>

#include "bench/eigen/evaluations.hpp"

namespace bench::eigen {

Figures contract_on_eigen_pool(const Conditions& conditions) {
  Eigen::ThreadPool pool(static_cast<int>(conditions.workers));
  const Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
  return {contract_ns(device)};
}

Figures map_on_eigen_pool(const Conditions& conditions) {
  Eigen::ThreadPool pool(static_cast<int>(conditions.workers));
  const Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
  return {map_ns(device)};
}

}  // namespace bench::eigen
