// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// PageRank. The parallel and the serial form share everything except their loops.
#include "samples/debgraph/rank.hpp"

#include <cmath>
#include <functional>

#include "jobs/jobs.hpp"

namespace debgraph {
namespace {

// for_each(n, body) calls body(node) for each node; sum(n, term) adds up term(node).
template <class ForEach, class Sum>
std::vector<double> iterate(const Graph& graph, ForEach for_each, Sum sum) {
  constexpr double kDamping = 0.85;
  constexpr double kSettled = 1e-12;
  const auto n = static_cast<Node>(graph.needs.node_count());
  std::vector<double> rank(n, 1.0 / n), next(n);
  for (double change = 1; change > kSettled;) {
    // A node without dependencies distributes its rank to all nodes equally.
    const double kept =
        sum(n, [&](Node node) { return graph.needs[node].empty() ? rank[node] : 0.0; });
    const double base = (1 - kDamping + kDamping * kept) / n;
    for_each(n, [&](Node node) {
      double given = 0;
      for (const Node from : graph.needed_by[node])
        given += rank[from] / static_cast<double>(graph.needs[from].size());
      next[node] = base + kDamping * given;
    });
    change = sum(n, [&](Node node) { return std::abs(next[node] - rank[node]); });
    rank.swap(next);
  }
  return rank;
}

}  // namespace

std::vector<double> page_rank(const Graph& graph) {
  return iterate(
      graph, [](Node n, auto body) { jobs::parallel_for(Node{0}, n, body); },
      [](Node n, auto term) { return jobs::parallel_reduce(Node{0}, n, 0.0, std::plus(), term); });
}

std::vector<double> page_rank_serial(const Graph& graph) {
  return iterate(
      graph,
      [](Node n, auto body) {
        for (Node node = 0; node < n; ++node) body(node);
      },
      [](Node n, auto term) {
        double sum = 0;
        for (Node node = 0; node < n; ++node) sum += term(node);
        return sum;
      });
}

}  // namespace debgraph
