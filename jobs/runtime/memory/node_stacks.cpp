// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/memory/node_stacks.hpp"

#include <algorithm>

namespace jobs::inline JOBS_ABI::detail {

std::string NodeStacks::placement() const {
  // Stacks per size. Each stack costs a query to the kernel.
  constexpr std::size_t kMaxStacks = 1024;
  std::string text;
  for (const auto& allocator : allocators_) {
    if (allocator->node() == os::kAnyNode) continue;
    const std::vector<const void*> tops = allocator->tops(kMaxStacks);
    std::vector<os::Node> nodes(tops.size());
    os::find_nodes(tops, nodes);
    const auto there = std::count(nodes.begin(), nodes.end(), allocator->node());
    const auto nowhere = std::count(nodes.begin(), nodes.end(), os::kAnyNode);
    text += text.empty() ? "node " : ", node ";
    text += std::to_string(allocator->node()) + " has " + std::to_string(there) + " of its " +
            std::to_string(static_cast<std::ptrdiff_t>(nodes.size()) - nowhere);
  }
  return text;
}

}  // namespace jobs::inline JOBS_ABI::detail
