// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/scheduler/worker_cpus.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "jobs/base/affinity.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The operating system has no CPU with this number or a larger one.
constexpr unsigned kMaxCpus = 1u << 20;

// Restricts the calling thread to the set, and returns the first CPU of the set that the system
// does not grant. Returns null if there is none.
JOBS_COLD const unsigned* find_refused_cpu(const std::vector<unsigned>& set) noexcept {
  if (set.empty()) return nullptr;
  const unsigned& last = *std::ranges::max_element(set);
  if (last >= kMaxCpus) return &last;
  os::pin_thread(set);
  const std::vector<unsigned> granted = os::affinity_cpus();
  for (const unsigned& cpu : set) {
    if (std::ranges::find(granted, cpu) == granted.end()) return &cpu;
  }
  return nullptr;
}

}  // namespace

JOBS_COLD WorkerCpus read_worker_cpus(const SchedulerOptions& options, unsigned count) {
  if (options.pin_workers || options.pin_to_nodes)
    throw Error(ErrorCode::kBadArgument, "worker_cpus: pin_workers or pin_to_nodes is set, too");
  WorkerCpus sets(count);
  for (unsigned i = options.bind_caller ? 1 : 0; i < count; ++i) sets[i] = options.worker_cpus(i);
  // A thread of its own learns which CPUs the system grants, so that no mask of the program
  // changes.
  const unsigned* refused = nullptr;
  try {
    Thread([&] {
      for (unsigned i = 0; i < count && refused == nullptr; ++i)
        refused = find_refused_cpu(sets[i]);
    }).join();
  } catch (const std::system_error& error) {
    refuse_thread(error.code(), "the check of worker_cpus", "do without worker_cpus");
  }
  if (refused != nullptr) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "worker_cpus: the process may not use CPU %u",
                  *refused);
    throw Error(ErrorCode::kBadArgument, text.data());
  }
  return sets;
}

}  // namespace jobs::inline JOBS_ABI::detail
