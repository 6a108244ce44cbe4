// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_join by jobs::Fiber.
#include "bench/create_join/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::create_join {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{
        fiber_ns([](std::int64_t& count) { jobs::Fiber<>([&count] { ++count; }).join(); })};
  });
}

}  // namespace bench::create_join
