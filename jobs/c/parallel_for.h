// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// The parallel loop of the C interface.
#pragma once

#include "jobs/c/scheduler.h"

JOBS_C_BEGIN

/// Body of a loop: runs the iterations in [begin, end).
///
/// Several workers call it concurrently, for parts that make up the range of the loop.
typedef void (*jobs_range_function)(void* data, int64_t begin, int64_t end);

/// Calls body(data, begin, end) for consecutive parts of [first, last), in parallel.
///
/// All iterations have ended when the call returns. Each runs exactly once, unless a C++ exception
/// leaves the body: then parts that have not begun are dropped. There is no call if the range is
/// empty. An external thread runs its share in place.
///
/// With a grain, the parts begin at `first` plus multiples of the grain, and have as many
/// iterations; the last part may be shorter. They depend neither on the number of workers nor on
/// timing.
///
/// @param scheduler  scheduler; NULL: the current one
/// @param first  first index
/// @param last  index after the last one, at least `first`
/// @param grain  iterations per part; 0: found while the loop runs
/// @param body  body of the loop
/// @param data  first argument of the body
/// @returns JOBS_OK; JOBS_ERROR_ARGUMENT for a null body or first > last; JOBS_ERROR_CALLBACK;
///   JOBS_ERROR_STOPPED; JOBS_ERROR_FORKED; JOBS_ERROR_NO_STACK; JOBS_ERROR_NO_MEMORY
/// @complexity O(n) iterations; a few ns per part with a grain
/// @thread_safety any thread or fiber, concurrently
JOBS_C_API jobs_status jobs_parallel_for(jobs_scheduler* scheduler, int64_t first, int64_t last,
                                         size_t grain, jobs_range_function body,
                                         void* data) JOBS_C_NOEXCEPT;

JOBS_C_END
