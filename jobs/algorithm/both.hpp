// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// run_both(): fork_two for algorithms that have to put every element somewhere: both run to their end whatever happens.
#pragma once

#include <variant>

#include "jobs/runtime/fork.hpp"

namespace jobs::inline JOBS_ABI::detail {

// first() and then second(); rethrows first's exception, else second's.
template <class First, class Second>
void run_in_turn(First&& first, Second&& second) {
  try {
    first();
  } catch (...) {
    try {
      second();
    } catch (...) {  // the earlier one counts
    }
    throw;
  }
  second();
}

// first(lane) here and second(lane) wherever a worker is free. As run_in_turn(), also if there is no memory to fork.
template <class First, class Second>
void run_both(Lane& lane, First&& first, Second&& second) {
  bool has_begun = false;
  auto upper = [&second] { second(*this_thread().lane); };
  try {
    fork_two(
        lane,
        [&] {
          has_begun = true;
          first(lane);
          return std::monostate{};
        },
        upper, [](std::monostate, std::monostate) { return std::monostate{}; });
  } catch (...) {
    if (has_begun) throw;
    run_in_turn([&] { first(lane); }, upper);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
