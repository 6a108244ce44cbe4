// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// NodeStacks: the stacks of one scheduler, with one limit: a StackDepot for each memory node that workers are bound to, and one for
// whoever is bound to none; that is the only one on machines with one node.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/fiber/stack_allocator.hpp"

namespace jobs::inline JOBS_ABI::detail {

class NodeStacks {
 public:
  // max_stacks: of all sizes together; 0: no limit but the machine's. trims: as of StackDepot. Throws Error(kBadArgument).
  NodeStacks(std::size_t loop_size, std::size_t max_stacks, os::GuardKind guard_kind, bool trims)
      : limit_(max_stacks), loop_size_(loop_size), guard_kind_(guard_kind), trims_(trims) {
    of(os::kAnyNode);
  }

  // Made at the first use. By one thread, before others look.
  StackDepot& of(os::Node node) {
    for (const auto& depot : depots_) {
      if (depot->node() == node) return *depot;
    }
    depots_.push_back(std::make_unique<StackDepot>(loop_size_, limit_, guard_kind_, trims_, node));
    return *depots_.back();
  }
  StackDepot& of_any() noexcept { return *depots_.front(); }
  // Those that have been returned give their memory back.
  void trim() noexcept {
    for (const auto& depot : depots_) depot->trim();
  }

  // Whether there are nodes at all.
  bool has_places() const noexcept { return depots_.size() > 1; }
  // For people: on each node that has workers how many of their stacks lie there, of those that have been used.
  std::string placement() const;
  os::GuardKind guard_kind() const noexcept { return guard_kind_; }

 private:
  StackLimit limit_;
  const std::size_t loop_size_;
  const os::GuardKind guard_kind_;
  const bool trims_;
  std::vector<std::unique_ptr<StackDepot>> depots_;  // the first one is for no node
};

}  // namespace jobs::inline JOBS_ABI::detail
