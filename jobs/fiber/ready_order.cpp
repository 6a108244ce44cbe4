// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/ready_order.hpp"

#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// After this number of insertions before ready fibers, the next one moves a ready fiber of a lower
// rank to the front. So woken fibers of high ranks starve no other fiber.
constexpr unsigned kMostOvertakings = 8;

void push_front(const ReadyList& list, FiberCore& fiber) noexcept {
  fiber.next_ready = static_cast<FiberCore*>(list.first);
  list.first = &fiber;
}

// Moves the first ready fiber for which matches(fiber) is true to the front, and returns it.
// Returns null if there is none.
template <class Matches>
FiberCore* advance_first(const ReadyList& list, Matches&& matches) noexcept {
  FiberCore* before = nullptr;
  FiberCore* found = list.first;
  for (; found != nullptr && !matches(*found); found = found->next_ready) before = found;
  if (found == nullptr || before == nullptr) return found;
  before->next_ready = static_cast<FiberCore*>(found->next_ready);
  if (list.last == found) list.last = before;
  push_front(list, *found);
  return found;
}

FiberCore* advance(const ReadyList& list, unsigned rank) noexcept {
  return advance_first(list, [rank](const FiberCore& fiber) { return fiber.rank == rank; });
}

}  // namespace

std::atomic<InsertReady> insert_ready_by_rank{nullptr};
std::atomic<LiftOwner> lift_lock_owner{nullptr};

void advance_ready(FiberHost& host, const void* fiber) noexcept {
  const ReadyList list{host.first_ready_, host.last_ready_, host.advanced_, host.overtakings_,
                       host.advances_middle_};
  const FiberCore* const found =
      advance_first(list, [fiber](const FiberCore& ready) { return &ready == fiber; });
  if (found != nullptr) list.advanced = found;
}

void insert_by_rank(const ReadyList& list, FiberCore& fiber) noexcept {
  if ((fiber.rank & kAdvances) != 0) {
    fiber.rank = static_cast<std::uint8_t>(fiber.rank & ~kAdvances);
    push_front(list, fiber);
    list.advanced = &fiber;
    return;
  }
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
