// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerCount: the choice of the number of workers.
#include "jobs/base/worker_count.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "jobs/base/environment.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {
namespace {

constexpr const char* kVariable = "JOBS_NUM_WORKERS";

std::string counted(unsigned count, const char* singular) {
  return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

std::string format_quota(double quota) {
  std::ostringstream text;
  text << quota;
  return std::move(text).str();
}

WorkerCount detected(const CpuLimits& limits) {
  const unsigned affinity = std::clamp(limits.affinity, 1u, kMaxWorkers);
  const std::string mask = counted(limits.affinity, "CPU") + " in the affinity mask";
  const std::string machine = "machine has " + std::to_string(limits.online);
  // Rounded up: with 1.5 CPUs two workers finish sooner than one, although the kernel throttles
  // them at times.
  const double quota = std::ceil(limits.quota.value_or(kMaxWorkers));
  if (quota < affinity) {
    const unsigned count = std::max(1u, static_cast<unsigned>(quota));
    return {count,
            counted(count, "worker") + ": CPU quota of " + format_quota(*limits.quota) + " (" +
                mask + "; " + machine + ")",
            true};
  }
  const std::string no_less =
      limits.quota ? "CPU quota of " + format_quota(*limits.quota) : "no CPU quota";
  return {affinity,
          counted(affinity, "worker") + ": " + mask + " (" + machine + "; " + no_less + ")", true};
}

}  // namespace

WorkerCount choose_worker_count(unsigned requested, const char* environment,
                                const CpuLimits& limits) {
  if (requested > kMaxWorkers) {
    throw Error(ErrorCode::kBadArgument, "worker_count = " + std::to_string(requested) +
                                             " is more than " + std::to_string(kMaxWorkers));
  }
  if (requested != 0)
    return {requested, counted(requested, "worker") + ": asked for by the program"};
  if (environment != nullptr && *environment != '\0') {
    const auto count =
        static_cast<unsigned>(parse_variable(kVariable, environment, 1, kMaxWorkers));
    return {count, counted(count, "worker") + ": " + kVariable + "=" + environment};
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
  return {.online = os::online_cpus(),
          .affinity = threads.empty() ? static_cast<unsigned>(os::affinity_cpus().size())
                                      : os::affinity_of(threads),
          .quota = read_cpu_quota(),
          .throttled = read_cpu_throttling()};
}

}  // namespace jobs::inline JOBS_ABI::detail
