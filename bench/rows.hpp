// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Builders for the rows of comparisons.cpp: the sides, and rows in both forms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/comparisons.hpp"

namespace bench {

inline constexpr std::string_view kNs = "ns";

inline Side jobs(Contender measure, unsigned workers) { return {"jobs", measure, workers}; }
inline Side named_jobs(Contender measure, unsigned workers) {
  return {"jobs", measure, workers, Form::kNamed};
}
inline Side external_jobs(Contender measure, unsigned workers) {
  return {"jobs", measure, workers, Form::kExternal};
}
inline Side one_jobs_worker(Contender measure) { return {"jobs@1", measure, 1}; }
inline Side tbb(Contender measure, unsigned workers) { return {"oneTBB", measure, workers}; }
inline Side boost_fiber(Contender measure, unsigned workers) {
  return {"Boost.Fiber", measure, workers};
}
inline Side std_threads(Contender measure, unsigned workers) { return {"std", measure, workers}; }

// One or more comparisons of one workload.
class Rows {
 public:
  Rows(Comparison one) : all_{std::move(one)} {}
  Rows(std::vector<Comparison> all) : all_(std::move(all)) {}

  const std::vector<Comparison>& all() const { return all_; }

 private:
  std::vector<Comparison> all_;
};

inline Comparison against_tbb(std::string workload, Gate gate, std::int64_t operations,
                              unsigned workers, Contender jobs_side, Contender tbb_side,
                              Contender serial) {
  return {{{std::move(workload), kNs, gate}},
          operations,
          jobs(jobs_side, workers),
          tbb(tbb_side, workers),
          serial};
}

// The row as a program runs it that calls free functions from `main`.
Comparison external(Comparison row);

// The gate of a row against its bound form: for work of 50 us and more, the external form has at
// least 0.95 of the speed.
inline Gate as_fast_as_bound() { return Gate::faster(0.95); }

// The external form against the peer and against the bound form; and the bound form, named
// WORKLOAD_bound, against the peer with the same gates.
Rows in_both_forms(Comparison row, Gate against_bound = as_fast_as_bound());

// The rows of program_rows.cpp.
std::vector<Rows> program_rows();

}  // namespace bench
