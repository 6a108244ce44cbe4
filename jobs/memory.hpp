// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// memory_resource() gives containers memory from the workers.
#pragma once

#include <memory_resource>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Returns the memory of the workers, for containers of the standard library.
///
/// Blocks of up to 1008 bytes (960 bytes if aligned to 64) come from slabs of the calling worker.
/// Their allocation takes neither a lock nor an atomic read-modify-write. They lie on the memory
/// node of the worker if the worker is bound to one (SchedulerOptions::pin_to_nodes). Any thread
/// may free a block; a block that another thread frees returns to its worker by one atomic
/// exchange. No two blocks share a cache line, so a block takes 64, 128, 256, 512 or 1024 bytes.
/// Larger blocks come from the heap, and so do blocks of threads that are not workers.
///
/// The resource belongs to the scheduler of the calling job; on other threads to the default
/// scheduler, which starts if it does not run. Blocks must be freed before that scheduler is
/// destroyed. Slabs grow to the largest number of bytes in use at a time (Stats::slab_bytes). They
/// serve all later blocks of their size. Slabs without a block in use return to the system by
/// Scheduler::trim(), by Scheduler::shutdown(), and by age while their worker sleeps.
///
/// @snippet memory.cpp memory_resource
///
/// @returns resource, never null; its allocations throw std::bad_alloc if there is no memory
/// @throws exception of starting the default scheduler
/// @complexity O(1), for allocations, too
/// @thread_safety any thread or fiber, concurrently; the resource, too
[[nodiscard]] JOBS_EXPORT std::pmr::memory_resource* memory_resource();

}  // namespace jobs::inline JOBS_ABI
