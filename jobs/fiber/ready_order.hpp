// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The place of a fiber with a rank in the ready list of its host. FiberHost calls it through a
// pointer that the first fiber with a rank sets, so programs without such fibers do not contain it.
#pragma once

#include <atomic>

#include "jobs/fiber/fiber_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

// The members of a FiberHost. Only its thread may use them.
struct ReadyList {
  Plain<FiberCore*>& first;
  Plain<FiberCore*>& last;
  const FiberCore*& advanced;
  unsigned& overtakings;
  bool& advances_middle;
};
using InsertReady = void (*)(const ReadyList& list, FiberCore& fiber) noexcept;

// Relaxed: each thread that gives a fiber a rank sets the pointer itself.
extern std::atomic<InsertReady> insert_ready_by_rank;

// Inserts `fiber` behind the ready fibers of its rank and of higher ranks. A fiber that was moved
// to the front stays there. pre: the list is not empty.
void insert_by_rank(const ReadyList& list, FiberCore& fiber) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
