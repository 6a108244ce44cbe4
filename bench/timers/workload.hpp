// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// timers: a deadline is armed and disarmed again, as by each timed wait that ends in time.
// Meanwhile a number of other deadlines within the next minute are armed. The peer is a red-black
// tree of nodes in the waiting frames, the structure that Boost.Fiber uses for its sleepers. Unit:
// ns per pair.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "bench/support/contender.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::timers {

inline constexpr std::int64_t kPairs = 250'000;
inline constexpr std::int64_t kMinute = 60'000'000'000;
// The pairs cycle through this number of different times.
inline constexpr std::int64_t kTimeouts = 1'024;

// `Node(at)` is a deadline. `arm(node)` and `disarm(node)` are measured; `empty()` returns true if
// none is left.
template <class Node, class Queue>
double pair_ns(std::int64_t armed) {
  std::mt19937_64 random(1);
  const auto some_time = [&random] { return static_cast<std::int64_t>(random() % kMinute); };
  Queue queue;
  std::vector<std::unique_ptr<Node>> others, nodes;
  for (std::int64_t i = 0; i < armed; ++i) others.push_back(std::make_unique<Node>(some_time()));
  // In the order of their times, which is fastest for a tree. Neighbours in time are still far
  // apart in memory.
  std::ranges::sort(others, {}, [](const auto& node) { return node->at; });
  for (const auto& node : others) queue.arm(*node);
  for (std::int64_t i = 0; i < kTimeouts; ++i) nodes.push_back(std::make_unique<Node>(some_time()));
  const Stopwatch stopwatch;
  for (std::int64_t i = 0; i < kPairs; ++i) {
    Node& node = *nodes[static_cast<std::size_t>(i % kTimeouts)];
    queue.arm(node);
    queue.disarm(node);
  }
  const double ns = stopwatch.elapsed_ns();
  for (const auto& node : others) queue.disarm(*node);
  expect_equal(true, queue.empty());
  return ns / static_cast<double>(kPairs);
}

template <std::int64_t kArmed>
Figures on_jobs(const Conditions&);
template <std::int64_t kArmed>
Figures on_tree(const Conditions&);

}  // namespace bench::timers
