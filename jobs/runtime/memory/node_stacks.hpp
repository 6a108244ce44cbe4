// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// NodeStacks: the stacks of one scheduler. It has a StackAllocator for each memory node to which
// workers are bound, and one for unbound workers. On machines with one node, the latter is the only
// one. All StackAllocators share one limit.
//
// Shared owns it. The thread that constructs the scheduler calls of() before any other thread uses
// the object. Later, any thread may call the remaining functions, because the list of
// StackAllocators stays constant.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "jobs/base/heap_vector.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/stack_allocator.hpp"

namespace jobs::inline JOBS_ABI::detail {

class NodeStacks {
 public:
  // max_stacks: limit for all sizes together; 0: only the limits of the machine apply.
  // trims: as the parameter of StackAllocator. Throws Error(kBadArgument).
  JOBS_COLD NodeStacks(std::size_t loop_size, std::size_t max_stacks, os::GuardKind guard_kind,
                       bool trims)
      : limit_(max_stacks), loop_size_(loop_size), guard_kind_(guard_kind), trims_(trims) {
    of(os::kAnyNode);
  }

  // The StackAllocator of a node; created at the first use. Only the constructing thread, before
  // any other thread uses this object.
  StackAllocator& of(os::Node node) {
    for (const auto& allocator : allocators_) {
      if (allocator->node() == node) return *allocator;
    }
    allocators_.push_back(
        std::make_unique<StackAllocator>(loop_size_, limit_, guard_kind_, trims_, node));
    return *allocators_.back();
  }
  StackAllocator& of_any() noexcept { return *allocators_.front(); }
  // Releases the memory of all idle stacks to the system.
  void trim() noexcept {
    for (const auto& allocator : allocators_) allocator->trim();
  }

  // Returns whether workers are bound to memory nodes.
  bool has_places() const noexcept { return allocators_.size() > 1; }
  // Human-readable: two numbers for each node that has workers. The first number is that of their
  // stacks on the node, the second that of their stacks with a known node. Unused stacks have none.
  std::string placement() const;
  os::GuardKind guard_kind() const noexcept { return guard_kind_; }

 private:
  StackLimit limit_;
  const std::size_t loop_size_;
  const os::GuardKind guard_kind_;
  const bool trims_;
  // The first StackAllocator is for unbound workers.
  HeapVector<std::unique_ptr<StackAllocator>> allocators_;
};

}  // namespace jobs::inline JOBS_ABI::detail
