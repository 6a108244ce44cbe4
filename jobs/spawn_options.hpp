// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public: how a job is spawned. Include jobs/spawn.hpp to use it.
#pragma once

#include "jobs/base/config.hpp"
#include "jobs/place.hpp"

namespace jobs::inline JOBS_ABI {

struct SpawnOptions {
  // Which workers may run it. Those for one worker arrive there in the order in which each thread has sent them, go before jobs
  // that others may take, and wake that worker and no other.
  Place on = anywhere;
  // true: goes before all jobs that have not begun, those for one worker included; urgent ones for the same place among themselves
  // first come, first served. It interrupts nobody: the first worker that ends a job, or waits in it, takes it, after at most
  // three ready fibers; a worker inside a graph or a pipeline looks about itself every 64 nodes. A flood of urgent jobs starves no
  // others: one job in 61 is one of those.
  bool urgent = false;

  friend constexpr bool operator==(const SpawnOptions&, const SpawnOptions&) = default;
};

}  // namespace jobs::inline JOBS_ABI
