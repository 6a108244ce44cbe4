// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ConcurrencyLimit: how a worker reads the limits of the machine, and the text of describe().
#include "jobs/runtime/parking/concurrency_limit.hpp"

#include <algorithm>

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Reading the limits takes at most 1/1000 of the time of a worker.
constexpr os::Nanoseconds kCheckCostFactor = 1000;
// Upper bound of the pause between two readings. The duration of a reading during which the thread
// had no CPU says nothing. Without the bound, a machine with too few CPUs would be read only after
// minutes.
constexpr os::Nanoseconds kLongestPause = 1'000'000'000;
constexpr std::uint64_t kMillisecond = 1'000'000;

}  // namespace

ConcurrencyLimit::Change ConcurrencyLimit::check_masks(
    os::Nanoseconds now, std::span<const os::ThreadId> threads) noexcept {
  next_check_.store(now + kCheckInterval, std::memory_order_relaxed);
  if (threads.empty()) return {};
  const CpuLimits limits = limits_source.load(std::memory_order_relaxed)(threads);
  if (limits.affinity == 0) return {};
  limits_ = limits;
  if (!has_checked_) first_ = limits.throttled;
  has_checked_ = true;
  const CpuThrottling seen = throttled();
  const std::uint64_t periods =
      limits.throttled.periods - std::min(first_.periods, limits.throttled.periods);
  const std::uint64_t ns =
      limits.throttled.nanoseconds - std::min(first_.nanoseconds, limits.throttled.nanoseconds);
  const bool is_throttled = periods != seen.periods || ns != seen.nanoseconds;
  throttled_periods_.store(periods, std::memory_order_relaxed);
  throttled_ns_.store(ns, std::memory_order_relaxed);

  const unsigned allowed = allowed_workers(limits);
  const unsigned active = std::clamp(allowed, std::min(min_active_, count_), count_);
  const bool oversubscribed = active > limits.affinity;
  oversubscribed_.store(oversubscribed, std::memory_order_relaxed);
  const bool is_short = oversubscribed || is_throttled;
  max_spinning_.store(is_short ? 0 : allowed - 1, std::memory_order_relaxed);
  cpus_.store(static_cast<unsigned>(limits.affinity), std::memory_order_relaxed);
  search_time_.store(is_throttled ? kShortSearch : kSearch, std::memory_order_relaxed);
  const unsigned before = active_.exchange(active, std::memory_order_relaxed);
  const os::Nanoseconds took = os::now() - now;
  next_check_.store(now + std::clamp(kCheckCostFactor * took, kCheckInterval, kLongestPause),
                    std::memory_order_relaxed);
  return {.first = std::min(before, active), .end = std::max(before, active)};
}
std::string ConcurrencyLimit::describe() const {
  const std::scoped_lock lock(mutex_);
  std::string text;
  if (has_excess()) {
    // The reason begins with a count of its own, which this text replaces.
    const std::string reason = choose_worker_count(0, nullptr, limits_).reason;
    text += "; " + std::to_string(active()) + " of " + std::to_string(count_) + " in use" +
            reason.substr(reason.find(": "));
  }
  if (const CpuThrottling seen = throttled(); seen.periods != 0 || seen.nanoseconds != 0) {
    text += "; throttled " + std::to_string(seen.periods) + " times, " +
            std::to_string(seen.nanoseconds / kMillisecond) + " ms";
  }
  return text;
}

}  // namespace jobs::inline JOBS_ABI::detail
