// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// idle: what a runtime does when there is nothing to do, in the second second after some work. Figures: CPU time of the process
// in per cent of one processor, and context switches of all its threads but the one that measures.
#pragma once

#include <chrono>
#include <thread>

#include "bench/support/contender.hpp"
#include "bench/support/process.hpp"

namespace bench::idle {

inline constexpr std::chrono::milliseconds kWork{20};

inline Figures second_second() {
  constexpr std::chrono::seconds kSecond{1};
  std::this_thread::sleep_for(kSecond);
  const auto switches = switches_of_other_threads();
  const double cpu = cpu_time_ns();
  std::this_thread::sleep_for(kSecond);
  const double cpu_used = cpu_time_ns() - cpu;
  return {100 * cpu_used / std::chrono::nanoseconds(kSecond).count(),
          static_cast<double>(switches_of_other_threads() - switches)};
}

Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::idle
