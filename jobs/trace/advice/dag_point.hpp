// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DagPoint: a point in the graph of a run, whose nodes are pieces of code and whose edges are
// dependencies. Dag: the roots of the graph, with their work and their span. One thread uses them.
//
// The graph itself is not stored. A point knows the length of the longest path from its root to it,
// so a task carries one point, and an edge takes the maximum of two points (as Cilkscale does).
//
// The burdened length adds a cost to each edge over which a scheduler may move work to another
// core. Source: He, Leiserson, Leiserson, "The Cilkview scalability analyzer", SPAA 2010.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Lengths in nanoseconds.
struct DagPoint {
  static constexpr std::uint32_t kNoRoot = ~0u;

  std::uint32_t root = kNoRoot;
  std::uint64_t length = 0;
  std::uint64_t burdened = 0;

  bool is_known() const noexcept { return root != kNoRoot; }
  // The point after an edge.
  DagPoint after_edge(std::uint64_t burden) const noexcept {
    return {.root = root, .length = length, .burdened = burdened + burden};
  }
  // The point that comes after both. The lengths of different roots are not comparable: then it is
  // this point.
  DagPoint joined(const DagPoint& other) const noexcept {
    if (other.root != root) return *this;
    return {.root = root,
            .length = std::max(length, other.length),
            .burdened = std::max(burdened, other.burdened)};
  }
};

// The figures of a root, in nanoseconds. `name`: a number of the caller.
struct DagRoot {
  std::uint64_t name = 0;
  std::uint64_t work = 0;
  std::uint64_t span = 0;
  std::uint64_t burdened_span = 0;
};

class Dag {
 public:
  // Returns the first point of a new root.
  DagPoint begin_root(std::uint64_t name) {
    roots_.push_back({.name = name});
    return {.root = static_cast<std::uint32_t>(roots_.size() - 1)};
  }
  // Code runs from that point on.
  void run(DagPoint& point, std::uint64_t time) noexcept {
    if (!point.is_known()) return;
    roots_[point.root].work += time;
    pass(point, time);
  }
  // Time passes without work: a sleep, or a wait for something outside of the graph.
  void pass(DagPoint& point, std::uint64_t time) noexcept {
    if (!point.is_known()) return;
    point.length += time;
    point.burdened += time;
    DagRoot& root = roots_[point.root];
    root.span = std::max(root.span, point.length);
    root.burdened_span = std::max(root.burdened_span, point.burdened);
  }

  const std::vector<DagRoot>& roots() const noexcept { return roots_; }

 private:
  std::vector<DagRoot> roots_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
