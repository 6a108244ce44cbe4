// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackAllocator: all stacks of one scheduler, or of its workers on one memory node. It has a pool
// for the loop fibers and a pool for each class that Fibers have requested. Any thread may call
// every function.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "jobs/base/heap.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StackAllocator : public HeapObject<StackAllocator> {
 public:
  // limit: for all sizes together. trims: returned stacks release their memory at once. node:
  // memory node of the stacks. Throws Error(kBadArgument).
  StackAllocator(std::size_t loop_size, StackLimit& limit, os::GuardKind guard_kind, bool trims,
                 os::Node node)
      : guard_kind_(guard_kind),
        trims_(trims),
        node_(node),
        limit_(limit),
        loops_(loop_size, limit_, guard_kind, trims, node) {}

  StackPool& loops() noexcept { return loops_; }
  // Returns the pool of a class; creates it at the first use. Throws std::bad_alloc.
  StackPool& of(StackClass stack_class) {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<StackPool>& pool = pools_[stack_class];
    if (!pool)
      pool = std::make_unique<StackPool>(size_of_class(stack_class), limit_, guard_kind_, trims_,
                                         node_);
    return *pool;
  }
  // Releases the memory of all returned stacks to the system.
  void trim() noexcept {
    const std::scoped_lock lock(mutex_);
    loops_.trim();
    for (const auto& pool : pools_) {
      if (pool) pool->trim();
    }
  }
  // The highest byte of each of the first stacks, at most `max` per size.
  std::vector<const void*> tops(std::size_t max) {
    const std::scoped_lock lock(mutex_);
    std::vector<const void*> all = loops_.tops(max);
    for (const auto& pool : pools_) {
      if (!pool) continue;
      const std::vector<const void*> tops = pool->tops(max);
      all.insert(all.end(), tops.begin(), tops.end());
    }
    return all;
  }
  const StackLimit& limit() const noexcept { return limit_; }
  os::Node node() const noexcept { return node_; }
  os::GuardKind guard_kind() const noexcept { return guard_kind_; }

 private:
  const os::GuardKind guard_kind_;
  const bool trims_;
  const os::Node node_;
  StackLimit& limit_;
  StackPool loops_;
  ThreadMutex mutex_;
  std::array<std::unique_ptr<StackPool>, kStackClasses> pools_;
};

}  // namespace jobs::inline JOBS_ABI::detail
