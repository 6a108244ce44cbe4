// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceClock: time stamps of events. They are the ticks of the processor's counter if it runs at a
// constant rate on all CPUs, and otherwise nanoseconds of the steady clock. A stamp takes about
// 10 ns. Two readings of both clocks give the rate of the ticks. Any thread may call the functions.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace jobs::inline JOBS_ABI::trace::detail {

// A point in time on both clocks.
struct TimePair {
  std::uint64_t ticks = 0;
  jobs::os::Nanoseconds at = 0;
};

class TraceClock {
 public:
  static std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    const Source source = source_.load(std::memory_order_relaxed);
    if (source == Source::kCycles) [[likely]]
      return __rdtsc();
    if (source == Source::kUnknown) return first_ticks();
#elif defined(__aarch64__)
    std::uint64_t value;
    asm volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#endif
    return static_cast<std::uint64_t>(jobs::os::now());
  }
  static TimePair read() noexcept;

  // Converts the stamps between `begin` and `end`; earlier and later ones, too.
  JOBS_EXPORT TraceClock(TimePair begin, TimePair end) noexcept;
  // Nanoseconds of the steady clock.
  jobs::os::Nanoseconds at(std::uint64_t ticks) const noexcept;
  // Converts a length of time.
  std::uint64_t ticks_in(jobs::os::Nanoseconds time) const noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(time) / ns_per_tick_);
  }

 private:
#if defined(__x86_64__)
  enum class Source : std::uint8_t { kUnknown, kCycles, kSteadyClock };

  // Chooses the source.
  static std::uint64_t first_ticks() noexcept;

  // The first stamp chooses it, because static objects may record before main(). All threads choose
  // the same one.
  static constinit jobs::detail::Atomic<Source> source_;
#endif

  const TimePair begin_;
  const double ns_per_tick_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
