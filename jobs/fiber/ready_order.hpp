// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The place of a fiber with a rank in the ready list of its host, and of a lock owner for which
// such a fiber waits. FiberHost and LockOwner call it through pointers that the first fiber with a
// rank sets, so programs without such fibers do not contain it.
#pragma once

#include <atomic>
#include <cstdint>

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

// A fiber that is about to wait for a lock of `owner` calls it (Mutex). `owner`: the
// FiberCore of the lock owner, or the state of its thread; null: none. `home`: its host, or null.
using LiftOwner = void (*)(const void* owner, const FiberHost* home) noexcept;

// Set together with insert_ready_by_rank.
extern std::atomic<LiftOwner> lift_lock_owner;

// A bit of FiberCore::rank: the fiber goes to the front of the ready list when it wakes up.
inline constexpr std::uint8_t kAdvances = 0x80;

// Moves a ready fiber of this host to the front, where it stays until it runs. Does nothing if the
// fiber is not ready. Uses only the address of `fiber`. Only the thread of the host may call it.
void advance_ready(FiberHost& host, const void* fiber) noexcept;

// Inserts `fiber` behind the ready fibers of its rank and of higher ranks. A fiber that was moved
// to the front stays there. pre: the list is not empty.
void insert_by_rank(const ReadyList& list, FiberCore& fiber) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
