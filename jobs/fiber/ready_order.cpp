// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/ready_order.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// After this number of insertions before ready fibers, the next one moves a ready fiber of a lower
// rank to the front. So woken fibers of high ranks starve no other fiber.
constexpr unsigned kMostOvertakings = 8;

void push_front(const ReadyList& list, FiberCore& fiber) noexcept {
  fiber.next_ready = static_cast<FiberCore*>(list.first);
  list.first = &fiber;
}

// Moves the first ready fiber of that rank to the front, and returns it. Returns null if there is
// none.
FiberCore* advance(const ReadyList& list, unsigned rank) noexcept {
  FiberCore* before = nullptr;
  FiberCore* found = list.first;
  for (; found != nullptr && found->rank != rank; found = found->next_ready) before = found;
  if (found == nullptr || before == nullptr) return found;
  before->next_ready = static_cast<FiberCore*>(found->next_ready);
  if (list.last == found) list.last = before;
  push_front(list, *found);
  return found;
}

}  // namespace

std::atomic<InsertReady> insert_ready_by_rank{nullptr};

void insert_by_rank(const ReadyList& list, FiberCore& fiber) noexcept {
  if (++list.overtakings > kMostOvertakings) {
    list.overtakings = 0;
    // The fibers without a rank, and the other lower ones, take turns.
    list.advances_middle = !list.advances_middle;
    list.advanced = list.advances_middle && fiber.rank > 1 ? advance(list, 1) : nullptr;
    if (list.advanced == nullptr) list.advanced = advance(list, 0);
  }
  FiberCore* before = list.first == list.advanced ? static_cast<FiberCore*>(list.first) : nullptr;
  FiberCore* next = before != nullptr ? before->next_ready : list.first;
  for (; next != nullptr && next->rank >= fiber.rank; next = next->next_ready) before = next;
  if (before == nullptr) return push_front(list, fiber);
  fiber.next_ready = next;
  before->next_ready = &fiber;
  if (next == nullptr) list.last = &fiber;
}

}  // namespace jobs::inline JOBS_ABI::detail
