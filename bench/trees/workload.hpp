// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// trees: three trees that become known only during the walk. Each child of a node is a fork; there
// is no cutoff. Unit: ns per node.
//
//   integrate  halves an interval until the area under a cubic stays the same: deep on the
//              right, shallow on the left
//   uts        unbalanced tree search: the number of children of a node is a hash of its path
//              from the root
//   skynet     ten children per node, a million leaves
//
// Each is written once, over both(f, g), which returns the sum of two results; a runtime computes
// them in parallel.
#pragma once

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::trees {

struct Integrate {
  struct Piece {
    double from, to;
    double at_from, at_to;
    double area;
  };
  static Piece whole();
  // Returns false if the piece is flat enough.
  static bool halve(const Piece& piece, Piece& left, Piece& right);

  // Returns the number of flat pieces.
  template <class Both>
  static std::int64_t count(const Both& both, const Piece& piece) {
    Piece left, right;
    if (!halve(piece, left, right)) return 1;
    return both([&both, &left] { return count(both, left); },
                [&both, &right] { return count(both, right); });
  }
  template <class Both>
  static std::int64_t run(const Both& both) {
    return count(both, whole());
  }
  static const std::int64_t kExpected;
  static const std::int64_t kNodes;
};

// Calls visit(child) for the children from `begin` to `end` of a node with many children.
template <class Both, class Visit>
std::int64_t sum_over(const Both& both, int begin, int end, const Visit& visit) {
  if (end - begin == 1) return visit(begin);
  const int middle = begin + (end - begin) / 2;
  return both([&both, &visit, begin, middle] { return sum_over(both, begin, middle, visit); },
              [&both, &visit, middle, end] { return sum_over(both, middle, end, visit); });
}

struct Uts {
  static constexpr int kDepth = 10;
  static std::uint64_t child_of(std::uint64_t node, int number);
  static int children_of(std::uint64_t node, int depth);

  // Returns the number of nodes from this one on.
  template <class Both>
  static std::int64_t count(const Both& both, std::uint64_t node, int depth) {
    const int children = children_of(node, depth);
    if (children == 0) return 1;
    return 1 + sum_over(both, 0, children, [&both, node, depth](int number) {
             return count(both, child_of(node, number), depth + 1);
           });
  }
  template <class Both>
  static std::int64_t run(const Both& both) {
    return count(both, 1, 0);
  }
  static const std::int64_t kExpected;
  static const std::int64_t kNodes;
};

struct Skynet {
  static constexpr std::int64_t kLeaves = 1'000'000;

  // Returns the sum of the numbers of the leaves.
  template <class Both>
  static std::int64_t sum(const Both& both, std::int64_t first, std::int64_t leaves) {
    if (leaves == 1) return first;
    return sum_over(both, 0, 10, [&both, first, each = leaves / 10](int number) {
      return sum(both, first + number * each, each);
    });
  }
  template <class Both>
  static std::int64_t run(const Both& both) {
    return sum(both, 0, kLeaves);
  }
  static const std::int64_t kExpected;
  static const std::int64_t kNodes;
};

template <class Tree>
Figures serial(const Conditions&);
template <class Tree>
Figures on_jobs(const Conditions&);
template <class Tree>
Figures on_tbb(const Conditions&);

}  // namespace bench::trees
