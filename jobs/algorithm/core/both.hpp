// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// run_both(): fork_two() for algorithms that must put every element somewhere. Both branches run to
// their end, also if one of them throws.
//
// Internal: any thread with a worker context may call these functions.
#pragma once

#include <variant>

#include "jobs/base/exceptions.hpp"
#include "jobs/runtime/parallel/fork_join.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// Calls first() and then second(). Rethrows the exception of first(), otherwise the exception of
// second().
template <class First, class Second>
void run_in_turn(First&& first, Second&& second) {
  JOBS_TRY { first(); }
  JOBS_CATCH_ALL {
    JOBS_TRY { second(); }
    JOBS_CATCH_ALL {
      // The earlier exception takes precedence.
    }
    JOBS_RETHROW;
  }
  second();
}

// Calls first(context) here, and second(context) on a free worker, if there is one. Exceptions as
// run_in_turn(). Without memory for a fork, both run here.
template <class First, class Second>
void run_both(WorkerContext& context, First&& first, Second&& second) {
  bool has_begun = false;
  auto upper = [&second] { second(*this_context()); };
  JOBS_TRY {
    fork_two(
        context,
        [&] {
          has_begun = true;
          first(context);
          return std::monostate{};
        },
        upper, [](std::monostate, std::monostate) { return std::monostate{}; });
  }
  JOBS_CATCH_ALL {
    if (has_begun) JOBS_RETHROW;
    run_in_turn([&] { first(context); }, upper);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
