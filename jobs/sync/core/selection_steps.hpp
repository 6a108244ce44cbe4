// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: the steps of a selection (selection.hpp). select() waits between them with a fiber, and
// TaskWait with a coroutine. The thread that runs the fiber or the coroutine calls them.
#pragma once

#include <cstddef>
#include <span>

#include "jobs/sync/core/selection.hpp"

namespace jobs::inline JOBS_ABI::detail {

// What link_alternatives() has done.
struct SelectionLinks {
  // Complete, and nothing is linked. Null: alternatives are linked.
  Alternative* done = nullptr;
  // Its link() has found the selection decided. Null: all alternatives are linked.
  Alternative* undecided = nullptr;
  std::size_t considered = 0;  // the number of alternatives whose link() was called
};

// Completes the first alternative that is ready, and returns it; null if none is ready.
JOBS_EXPORT Alternative* try_alternatives(std::span<Alternative* const> alternatives);

// Links the alternatives to their lists; the wake-up goes to `fiber`. It is on its way, or will be
// sent, unless an alternative is `done`, or `undecided` and the winner of the selection.
JOBS_EXPORT SelectionLinks link_alternatives(std::span<Alternative* const> alternatives,
                                             Selection& selection, FiberCore& fiber) noexcept;

// Withdraws all linked alternatives but the winner, and returns the winner; null if there is none.
// After the call no other thread accesses the alternatives. pre: the selection is decided, and its
// wake-up was consumed.
JOBS_EXPORT Alternative* settle_alternatives(std::span<Alternative* const> alternatives,
                                             const Selection& selection,
                                             const SelectionLinks& links) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
