// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerCount: the choice of the number of workers.
#include "jobs/base/worker_count.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "jobs/base/environment.hpp"
#include "jobs/base/message.hpp"

namespace jobs::inline JOBS_ABI::detail {
namespace {

constexpr const char* kVariable = "JOBS_NUM_WORKERS";

MessageLine& append_count(MessageLine& text, unsigned count, const char* singular) {
  return text << std::uint64_t{count} << " " << singular << (count == 1 ? "" : "s");
}

void append_quota(MessageLine& text, double quota) {
  char number[32];
  std::snprintf(number, sizeof number, "%g", quota);
  text << "CPU quota of " << number;
}

unsigned count_in_mask(const CpuLimits& limits) noexcept {
  return std::clamp(limits.affinity, 1u, kMaxWorkers);
}

WorkerCount detected(const CpuLimits& limits) {
  const unsigned count = allowed_workers(limits);
  const bool by_quota = count < count_in_mask(limits);
  MessageLine reason;
  append_count(reason, count, "worker") << ": ";
  if (by_quota) {
    append_quota(reason, *limits.quota);
    reason << " (";
  }
  append_count(reason, limits.affinity, "CPU")
      << " in the affinity mask" << (by_quota ? "; " : " (") << "machine has "
      << std::uint64_t{limits.online};
  if (!by_quota) {
    reason << "; ";
    if (limits.quota) {
      append_quota(reason, *limits.quota);
    } else {
      reason << "no CPU quota";
    }
  }
  reason << ")";
  return {count, std::string(reason.text()), true};
}

}  // namespace

unsigned allowed_workers(const CpuLimits& limits) noexcept {
  // Rounded up: with 1.5 CPUs two workers finish sooner than one, although the kernel throttles
  // them at times.
  const double quota = std::ceil(limits.quota.value_or(kMaxWorkers));
  const unsigned in_mask = count_in_mask(limits);
  return quota < in_mask ? std::max(1u, static_cast<unsigned>(quota)) : in_mask;
}

WorkerCount choose_worker_count(unsigned requested, const char* environment,
                                const CpuLimits& limits) {
  MessageLine text;
  if (requested > kMaxWorkers) {
    text << "worker_count = " << std::uint64_t{requested} << " is more than "
         << std::uint64_t{kMaxWorkers};
    throw_error(ErrorCode::kBadArgument, text);
  }
  if (requested != 0) {
    append_count(text, requested, "worker") << ": asked for by the program";
    return {requested, std::string(text.text())};
  }
  if (environment != nullptr && *environment != '\0') {
    const auto count =
        static_cast<unsigned>(parse_variable(kVariable, environment, 1, kMaxWorkers));
    append_count(text, count, "worker") << ": " << kVariable << "=" << environment;
    return {count, std::string(text.text())};
  }
  return detected(limits);
}

WorkerCount choose_worker_count(unsigned requested, unsigned at_least) {
  check_switches();
  const char* const environment = read_variable(kVariable);
  if (at_least > kMaxWorkers) requested = at_least;
  const bool is_given = requested != 0 || *environment != '\0';
  WorkerCount chosen = choose_worker_count(
      requested, environment,
      is_given ? CpuLimits{} : limits_source.load(std::memory_order_relaxed)({}));
  chosen.count = std::max(chosen.count, at_least);
  return chosen;
}

constinit Atomic<LimitsSource> limits_source{&read_limits};

CpuLimits read_limits(std::span<const os::ThreadId> threads) {
  const CpuQuota quota = read_cpu_quota();
  return {.online = os::online_cpus(),
          .affinity = threads.empty() ? static_cast<unsigned>(os::affinity_cpus().size())
                                      : os::affinity_of(threads),
          .quota = quota.cpus,
          .throttled = quota.throttled};
}

}  // namespace jobs::inline JOBS_ABI::detail
