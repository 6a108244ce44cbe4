// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_join: a fiber repeatedly creates another one with a trivial body and joins it, on one
// worker, so that stacks come from the pool. Each side uses its ordinary handle: jobs::Fiber, and
// boost::fibers::fiber with a pooled stack allocator, which is its cheapest. Unit: ns per fiber,
// from its construction to the return of join().
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::create_join {

inline constexpr std::int64_t kFibers = 100'000;

// `one(count)` creates one fiber that adds 1 to `count`, and joins it.
template <class One>
double fiber_ns(One&& one) {
  return checked_ns(kFibers,
                    [&] {
                      std::int64_t count = 0;
                      for (std::int64_t i = 0; i < kFibers; ++i) one(count);
                      return count;
                    }) /
         static_cast<double>(kFibers);
}

Figures on_jobs(const Conditions&);
Figures on_boost_fiber(const Conditions&);

}  // namespace bench::create_join
