// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The public functions of jobs/testing.hpp. Each calls the running simulation.
#include "jobs/testing.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "jobs/base/environment.hpp"
#include "jobs/error.hpp"
#include "jobs/testing/simulation.hpp"

namespace jobs::inline JOBS_ABI::testing {

std::string Result::text() const {
  char line[128];
  std::snprintf(line, sizeof line, "seed %" PRIu64 ": %" PRIu64 " steps, digest %016" PRIx64 "%s",
                seed, steps, digest, finding.empty() ? ", nothing found\n" : ": ");
  return line + finding;
}

std::string Search::text() const {
  const std::string sum = std::to_string(seeds) + " seeds, " + std::to_string(steps) + " steps";
  if (!first) return sum + ", nothing found\n";
  return first.text() + "  after " + sum + "; again: JOBS_SIM_SEED=" + std::to_string(first.seed) +
         "\n";
}

Result simulate(const Options& options, std::uint64_t seed, const std::function<void()>& body) {
  detail::Simulation simulation(options, seed);
  return simulation.run(body);
}

Search search(const Options& options, std::uint64_t seeds, const std::function<void()>& body,
              std::uint64_t first_seed) {
  Options effective = options;
  try {
    const std::string_view seed = detail::read_variable("JOBS_SIM_SEED");
    const std::string_view trace = detail::read_variable("JOBS_SIM_TRACE");
    const bool traces =
        !trace.empty() && detail::parse_variable("JOBS_SIM_TRACE", trace, 0, 1) == 1;
    if (!seed.empty()) {
      first_seed = detail::parse_variable("JOBS_SIM_SEED", seed, 0, UINT64_MAX);
      seeds = 1;
      effective.trace = effective.trace || traces;
    }
  } catch (const Error& error) {
    return {.first = {.seed = 0, .finding = error.what() + std::string("\n")}};
  }
  Search found;
  for (std::uint64_t i = 0; i < seeds && !found.first; ++i) {
    found.first = simulate(effective, first_seed + i, body);
    ++found.seeds;
    found.steps += found.first.steps;
  }
  return found;
}

std::uint32_t choose(std::uint32_t n) { return detail::Simulation::here().choose(n); }

void pass(std::uint32_t steps) {
  detail::Simulation& simulation = detail::Simulation::here();
  for (std::uint32_t i = 0; i < steps && (i == 0 || !simulation.all_others_sleep()); ++i)
    simulation.spin();
}

std::chrono::steady_clock::time_point now() {
  return std::chrono::steady_clock::time_point(
      std::chrono::nanoseconds(detail::Simulation::here().now()));
}

void fail(const std::string& what) { detail::Simulation::here().fail(what); }

}  // namespace jobs::inline JOBS_ABI::testing
