// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn: a million detached jobs from one producer, which is itself a worker. A job only counts
// itself. Unit: ns per job, from the first spawn until the last job has run.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::spawn {

inline constexpr std::int64_t kJobs = 1'000'000;

class Tally {
 public:
  // Returns true for the last job.
  bool arrive() { return arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == kJobs; }
  std::int64_t arrived() const { return arrived_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::int64_t> arrived_{0};
};

Figures serial(const Conditions&);
Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::spawn
