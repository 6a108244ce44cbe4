// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The common names of oneTBB on top of jobs: a program that includes this in place of <oneapi/tbb.h> or <tbb/...> compiles as it is
// and does not link libtbb. Not part of jobs/jobs.hpp.
//
//   parallel_for, parallel_reduce, parallel_deterministic_reduce, parallel_scan, parallel_invoke, parallel_for_each, parallel_sort,
//   parallel_pipeline; blocked_range, 2d, 3d; the partitioners; task_group, task_group_context; task_arena, this_task_arena,
//   global_control, info; enumerable_thread_specific, combinable; collaborative_call_once; tick_count
//
// Not there: flow graphs, containers, mutexes, allocators, task::suspend, task_scheduler_observer, blocked_rangeNd. Programs that need
// them say so when they are compiled; docs/from-onetbb.md has what to write in their place. What differs stands at the head of
// each file of interop/tbb/.
//
// All of it is in namespace jobs::tbb, so the linker never takes it for the real library's, which may be in the same program, behind
// other sources. Only this file makes `tbb` and `oneapi::tbb` of it; who wants both libraries in one source includes jobs/interop/tbb/*.hpp
// and writes jobs::tbb.
#pragma once

#if defined(__TBB_detail__config_H)
#error "oneTBB has been included already. <execution> does that, too: compile with -D_GLIBCXX_USE_TBB_PAR_BACKEND=0"
#endif

#include "jobs/interop/tbb/algorithms.hpp"
#include "jobs/interop/tbb/arena.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/parallel_for.hpp"
#include "jobs/interop/tbb/parallel_reduce.hpp"
#include "jobs/interop/tbb/parallel_scan.hpp"
#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/interop/tbb/pipeline.hpp"
#include "jobs/interop/tbb/range.hpp"
#include "jobs/interop/tbb/task_group.hpp"
#include "jobs/interop/tbb/thread_specific.hpp"
#include "jobs/interop/tbb/tick_count.hpp"

namespace tbb = ::jobs::tbb;  // an alias: the real headers cannot be included after this
namespace oneapi {
namespace tbb = ::jobs::tbb;
}  // namespace oneapi
