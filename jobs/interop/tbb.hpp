// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The common names of oneTBB on top of jobs. A program that includes this header instead of
// `<oneapi/tbb.h>` or `<tbb/...>` compiles unchanged and does not link libtbb. Not part of
// `jobs/jobs.hpp`.
//
// | group | names |
// |---|---|
// | loops | parallel_for, parallel_for_each, parallel_scan |
// | sums | parallel_reduce, parallel_deterministic_reduce |
// | functions | parallel_invoke, parallel_sort, parallel_pipeline, collaborative_call_once |
// | ranges | blocked_range, blocked_range2d, blocked_range3d; the partitioners |
// | tasks | task_group, task_group_context, task_handle; task::suspend, task::resume |
// | arenas | task_arena, this_task_arena, global_control, info, task_scheduler_observer |
// | values | enumerable_thread_specific, flattened2d, combinable; tick_count |
//
// Missing: flow graphs, containers, mutexes, allocators, `blocked_rangeNd`. A program that needs
// them does not compile; `docs/from-onetbb.md` names the replacements. The head of each file in
// `interop/tbb/` lists the differences from oneTBB.
//
// All names are in namespace `jobs::tbb`, so the linker never confuses them with the names of the
// real library. Other source files of the same program may use the real library. Only this header
// defines the aliases `tbb` and `oneapi::tbb`. A source file that uses both libraries includes
// `jobs/interop/tbb/*.hpp` and writes `jobs::tbb`.
#pragma once

#if defined(__TBB_detail__config_H)
#error \
    "oneTBB has been included already. <execution> does that, too: compile with -D_GLIBCXX_USE_TBB_PAR_BACKEND=0"
#endif

#include "jobs/interop/tbb/algorithms.hpp"
#include "jobs/interop/tbb/arena.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/control.hpp"
#include "jobs/interop/tbb/observer.hpp"
#include "jobs/interop/tbb/parallel_for.hpp"
#include "jobs/interop/tbb/parallel_reduce.hpp"
#include "jobs/interop/tbb/parallel_scan.hpp"
#include "jobs/interop/tbb/partitioner.hpp"
#include "jobs/interop/tbb/pipeline.hpp"
#include "jobs/interop/tbb/range.hpp"
#include "jobs/interop/tbb/task.hpp"
#include "jobs/interop/tbb/task_group.hpp"
#include "jobs/interop/tbb/thread_specific.hpp"
#include "jobs/interop/tbb/tick_count.hpp"

// The version of oneTBB that has these names, for programs that ask.
#define TBB_VERSION_MAJOR 2021
#define TBB_VERSION_MINOR 8
#define TBB_VERSION_PATCH 0
#define TBB_VERSION_STRING "2021.8"
#define TBB_INTERFACE_VERSION 12080
#define TBB_INTERFACE_VERSION_MAJOR (TBB_INTERFACE_VERSION / 1000)
#define TBB_INTERFACE_VERSION_MINOR (TBB_INTERFACE_VERSION % 1000 / 10)
#define ONETBB_SPEC_VERSION "1.0"

// Aliases: the headers of the real library cannot be included after this one.
namespace tbb = ::jobs::tbb;
namespace oneapi {
namespace tbb = ::jobs::tbb;
}  // namespace oneapi
