// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_join by boost::fibers::fiber, with stacks from a pool.
#include <boost/fiber/all.hpp>

#include <memory>

#include "bench/create_join/workload.hpp"

namespace bench::create_join {

Figures on_boost_fiber(const Conditions&) {
  boost::fibers::pooled_fixedsize_stack stacks;
  return {fiber_ns([&stacks](std::int64_t& count) {
    boost::fibers::fiber(std::allocator_arg, stacks, [&count] { ++count; }).join();
  })};
}

}  // namespace bench::create_join
