// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Boost fibers that sleep by boost::this_fiber::sleep_for(), on small stacks without guard pages:
// Boost's cheapest.
#include <boost/fiber/all.hpp>

#include "bench/sleep_storm/workload.hpp"

namespace bench::sleep_storm {

Figures on_boost_fiber(const Conditions&) {
  constexpr std::size_t kStackSize = 16 * 1024;
  Lateness lateness;
  for (std::int64_t i = 0; i < kFibers; ++i) {
    boost::fibers::fiber(std::allocator_arg, boost::fibers::fixedsize_stack(kStackSize), [&] {
      lateness.measure([](auto duration) { boost::this_fiber::sleep_for(duration); });
    }).detach();
  }
  while (lateness.count() < kFibers) boost::this_fiber::sleep_for(std::chrono::milliseconds(50));
  return lateness.figures();
}

}  // namespace bench::sleep_storm
