// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// run_both(): fork_two for algorithms that have to put every element somewhere: both run to their end whatever happens.
#pragma once

#include <variant>

#include "jobs/base/exceptions.hpp"
#include "jobs/runtime/fork.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

// first() and then second(); rethrows first's exception, else second's.
template <class First, class Second>
void run_in_turn(First&& first, Second&& second) {
  JOBS_TRY { first(); }
  JOBS_CATCH_ALL {
    JOBS_TRY { second(); }
    JOBS_CATCH_ALL {  // the earlier one counts
    }
    JOBS_RETHROW;
  }
  second();
}

// first(lane) here and second(lane) wherever a worker is free. As run_in_turn(), also if there is no memory to fork.
template <class First, class Second>
void run_both(Lane& lane, First&& first, Second&& second) {
  bool has_begun = false;
  auto upper = [&second] { second(*this_thread().lane); };
  JOBS_TRY {
    fork_two(
        lane,
        [&] {
          has_begun = true;
          first(lane);
          return std::monostate{};
        },
        upper, [](std::monostate, std::monostate) { return std::monostate{}; });
  }
  JOBS_CATCH_ALL {
    if (has_begun) JOBS_RETHROW;
    run_in_turn([&] { first(lane); }, upper);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
