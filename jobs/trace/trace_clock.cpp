// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceClock: the choice of the counter, and its calibration.
#include "jobs/trace/trace_clock.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace jobs::inline JOBS_ABI::trace::detail {

#if defined(__x86_64__)
namespace {

// Returns whether the counter has the same rate in all states of the processor (invariant TSC).
bool is_invariant() noexcept {
  constexpr unsigned kPowerLeaf = 0x80000007;
  constexpr unsigned kInvariant = 1u << 8;
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  return __get_cpuid(kPowerLeaf, &a, &b, &c, &d) != 0 && (d & kInvariant) != 0;
}

}  // namespace

constinit jobs::detail::Atomic<TraceClock::Source> TraceClock::source_{Source::kUnknown};

JOBS_COLD std::uint64_t TraceClock::first_ticks() noexcept {
  source_.store(is_invariant() ? Source::kCycles : Source::kSteadyClock, std::memory_order_relaxed);
  return ticks();
}
#endif

TimePair TraceClock::read() noexcept {
  // The shortest of three readings, because an interrupt may come between the two clocks.
  constexpr int kAttempts = 3;
  TimePair best;
  std::uint64_t shortest = ~std::uint64_t{0};
  for (int i = 0; i < kAttempts; ++i) {
    const std::uint64_t before = ticks();
    const jobs::os::Nanoseconds at = jobs::os::now();
    const std::uint64_t length = ticks() - before;
    if (length >= shortest) continue;
    shortest = length;
    best = {.ticks = before + length / 2, .at = at};
  }
  return best;
}

TraceClock::TraceClock(TimePair begin, TimePair end) noexcept
    : begin_(begin),
      ns_per_tick_(end.ticks > begin.ticks ? static_cast<double>(end.at - begin.at) /
                                                 static_cast<double>(end.ticks - begin.ticks)
                                           : 1) {}

jobs::os::Nanoseconds TraceClock::at(std::uint64_t ticks) const noexcept {
  const auto distance = static_cast<std::int64_t>(ticks - begin_.ticks);
  return begin_.at +
         static_cast<jobs::os::Nanoseconds>(static_cast<double>(distance) * ns_per_tick_);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
