// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The evaluations on jobs::interop::EigenThreadPool, and without threads.
#include "jobs/interop/eigen.hpp"

#include <unsupported/Eigen/CXX11/Tensor>

#include "bench/eigen/evaluations.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::eigen {
namespace {

template <class F>
Figures with_pool(const Conditions& conditions, F&& measure) {
  return inside_jobs(conditions, [&] {
    jobs::interop::EigenThreadPool pool;
    const Eigen::ThreadPoolDevice device(&pool, pool.NumThreads());
    return Figures{measure(device)};
  });
}

}  // namespace

Figures contract_serial(const Conditions&) { return {contract_ns(Eigen::DefaultDevice())}; }
Figures contract_on_jobs(const Conditions& conditions) {
  return with_pool(conditions, [](const auto& device) { return contract_ns(device); });
}

Figures map_serial(const Conditions&) { return {map_ns(Eigen::DefaultDevice())}; }
Figures map_on_jobs(const Conditions& conditions) {
  return with_pool(conditions, [](const auto& device) { return map_ns(device); });
}

}  // namespace bench::eigen
