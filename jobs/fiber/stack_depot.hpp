// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackDepot: all stacks of one scheduler: those of its loop fibers, and a pool for each class that Fibers have asked for. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>

#include "jobs/base/thread.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StackDepot {
 public:
  // max_stacks: of all sizes together; 0: no limit but the machine's. trims: returned stacks give their memory back at once.
  // Throws Error(kBadArgument).
  StackDepot(std::size_t loop_size, std::size_t max_stacks, os::GuardKind guard_kind, bool trims)
      : guard_kind_(guard_kind), trims_(trims), limit_(max_stacks), loops_(loop_size, limit_, guard_kind, trims) {}

  StackPool& loops() noexcept { return loops_; }
  // Made at the first use. Throws std::bad_alloc.
  StackPool& of(StackClass stack_class) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<StackPool>& pool = pools_[stack_class];
    if (!pool) pool = std::make_unique<StackPool>(size_of_class(stack_class), limit_, guard_kind_, trims_);
    return *pool;
  }
  // Those that have been returned give their memory back.
  void trim() noexcept {
    const std::scoped_lock lock(mutex_);
    loops_.trim();
    for (const auto& pool : pools_) {
      if (pool) pool->trim();
    }
  }
  os::GuardKind guard_kind() const noexcept { return guard_kind_; }

 private:
  const os::GuardKind guard_kind_;
  const bool trims_;
  StackLimit limit_;
  StackPool loops_;
  ThreadMutex mutex_;
  std::array<std::unique_ptr<StackPool>, kStackClasses> pools_;
};

}  // namespace jobs::inline JOBS_ABI::detail
