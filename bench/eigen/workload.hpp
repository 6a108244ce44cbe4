// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// eigen: tensors of Eigen by its ThreadPoolDevice, on the workers of jobs and on Eigen's own pool
// of threads. eigen_contract: the product of two matrices of 384 x 384 floats. eigen_map: x * x + 1
// for a million floats. Unit: ns per evaluation. Expected: the sum of the elements, in which no
// addition rounds.
//
// jobs/interop/eigen.hpp has its own Eigen::Barrier. One program must not have two, so the
// namespace of Eigen has another name in eigen_pool.cpp.
#pragma once

#include "bench/support/contender.hpp"

namespace bench::eigen {

inline constexpr int kSide = 384;
inline constexpr int kElements = 1'000'000;

Figures contract_serial(const Conditions&);
Figures contract_on_jobs(const Conditions&);
Figures contract_on_eigen_pool(const Conditions&);

Figures map_serial(const Conditions&);
Figures map_on_jobs(const Conditions&);
Figures map_on_eigen_pool(const Conditions&);

}  // namespace bench::eigen
