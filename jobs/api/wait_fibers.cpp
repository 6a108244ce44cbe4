// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// wait_any(): one event that the end of each fiber sets.
#include "jobs/wait_fibers.hpp"

#include <vector>

#include "jobs/base/heap_vector.hpp"
#include "jobs/error.hpp"
#include "jobs/sync/core/event_core.hpp"
#include "jobs/this_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

std::optional<std::size_t> first_dead(std::span<const FiberRef> fibers) noexcept {
  for (std::size_t i = 0; i < fibers.size(); ++i) {
    if (fibers[i].state() == FiberState::kDead) return i;
  }
  return std::nullopt;
}

// Registers one event that the end of any of the fibers sets.
class Watches {
 public:
  Watches(std::span<const FiberRef> fibers, EventCore& event)
      : fibers_(fibers), watches_(fibers.size(), {&event}) {
    for (std::size_t i = 0; i < fibers_.size(); ++i) {
      if (!fibers_[i].control()->fiber_signals.watch(watches_[i])) event.open();
    }
  }
  ~Watches() {
    for (std::size_t i = 0; i < fibers_.size(); ++i)
      fibers_[i].control()->fiber_signals.unwatch(watches_[i]);
  }
  Watches(const Watches&) = delete;
  Watches& operator=(const Watches&) = delete;

 private:
  const std::span<const FiberRef> fibers_;
  HeapVector<DeathWatch> watches_;
};

}  // namespace

std::optional<std::size_t> wait_any(std::span<const FiberRef> fibers, os::Nanoseconds deadline) {
  if (fibers.empty()) throw Error(ErrorCode::kBadArgument, "wait_any(): no fiber to wait for");
  for (const FiberRef& fiber : fibers) {
    if (fiber && fiber == this_fiber::ref())
      throw Error(ErrorCode::kBadArgument, "wait_any(): a fiber waits for itself");
  }
  if (const auto dead = first_dead(fibers)) return dead;
  EventCore any(1);
  const Watches watches(fibers, any);
  any.wait({.deadline = deadline});
  return first_dead(fibers);
}

}  // namespace jobs::inline JOBS_ABI::detail
