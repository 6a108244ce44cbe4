// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// idle: the activity of a runtime without work, in the second second after some work. Figures: CPU
// time of the process in per cent of one processor, and context switches of all its threads except
// the measuring one.
#pragma once

#include <chrono>
#include <thread>

#include "bench/support/contender.hpp"
#include "bench/support/process.hpp"

namespace bench::idle {

inline constexpr std::chrono::milliseconds kWork{20};

// Measures the second such period after the work.
inline Figures when_idle(const Conditions& conditions) {
  const std::chrono::milliseconds time(conditions.quick ? 250 : 1'000);
  std::this_thread::sleep_for(time);
  const auto switches = switches_of_other_threads();
  const double cpu = cpu_time_ns();
  std::this_thread::sleep_for(time);
  const double share =
      (cpu_time_ns() - cpu) / static_cast<double>(std::chrono::nanoseconds(time).count());
  const double per_second = 1'000.0 / static_cast<double>(time.count());
  return {100 * share, static_cast<double>(switches_of_other_threads() - switches) * per_second};
}

Figures on_jobs(const Conditions&);
Figures on_tbb(const Conditions&);

}  // namespace bench::idle
