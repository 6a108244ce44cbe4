// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The memory of the workers, for the containers of the standard library.
//
//   std::pmr::vector<Hit> hits(jobs::memory_resource());
//
// Small blocks (up to 1008 bytes, or 960 if they are aligned to 64) come from slabs of the calling worker, without a lock and without an
// atomic read-modify-write, and lie on its memory node if it is bound to one (SchedulerOptions::pin_to_nodes). Any thread may free them:
// a block that another one frees goes back to its worker by one exchange. No two of them share a cache line, so each takes 64, 128, 256,
// 512 or 1024 bytes. Others, and those of threads that are no workers, come from the heap.
#pragma once

#include <memory_resource>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

// Of the scheduler of the calling job; on other threads of the default one, which starts if need be. Never null; any thread may use it,
// from anywhere. What was allocated must be freed before that scheduler is destroyed. Slabs grow to what was in use at a time
// (Stats::slab_bytes), serve all later blocks of their size and go when the scheduler is destroyed. It throws std::bad_alloc.
[[nodiscard]] JOBS_EXPORT std::pmr::memory_resource* memory_resource();

}  // namespace jobs::inline JOBS_ABI
