// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs the measured code in an arena of oneTBB; this thread is one of the W threads.
#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <utility>

namespace bench {

template <class F>
auto inside_tbb(unsigned workers, F&& measure) {
  // By default, oneTBB uses one thread per processor of the machine, regardless of the arena.
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  return arena.execute(std::forward<F>(measure));
}

}  // namespace bench
