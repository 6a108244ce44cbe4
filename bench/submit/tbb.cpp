// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// submit by tbb::task_arena::enqueue(). The arena reserves no place for the submitting thread.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/submit/workload.hpp"

namespace bench::submit {

Figures on_tbb(const Conditions& conditions) {
  // One more than the threads of the arena: the limit counts this thread.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  conditions.workers + 1);
  tbb::task_arena arena(static_cast<int>(conditions.workers), 0);
  return figures_of([&arena](auto job) { arena.enqueue(job); });
}

}  // namespace bench::submit
