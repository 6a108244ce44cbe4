// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph by a tbb::flow::graph of continue_nodes without the lightweight policy: with it, wide
// graphs recurse without end.
#include <oneapi/tbb/flow_graph.h>

#include <deque>

#include "bench/graph/workload.hpp"
#include "bench/support/inside_tbb.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::graph {

template <Shape kShape>
Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    Visits visits;
    tbb::flow::graph graph;
    std::deque<tbb::flow::continue_node<tbb::flow::continue_msg>> nodes;
    for (int i = 0; i < kNodes; ++i) {
      nodes.emplace_back(graph, [&visits, i](const tbb::flow::continue_msg&) { visits.visit(i); });
    }
    for (const auto& [from, to] : edges(kShape)) {
      tbb::flow::make_edge(nodes[static_cast<std::size_t>(from)],
                           nodes[static_cast<std::size_t>(to)]);
    }
    const auto run_all = [&] {
      const std::int64_t before = visits.total();
      for (int i = 0; i < kRuns; ++i) {
        nodes.front().try_put({});
        graph.wait_for_all();
      }
      return visits.total() - before;
    };
    return Figures{checked_ns(kOperations, run_all) / static_cast<double>(kOperations)};
  });
}

template Figures on_tbb<Shape::kChain>(const Conditions&);
template Figures on_tbb<Shape::kFan>(const Conditions&);
template Figures on_tbb<Shape::kWavefront>(const Conditions&);
template Figures on_tbb<Shape::kRandom>(const Conditions&);

template <Shape kShape>
Figures once_on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    Visits visits;
    const Edges all = edges(kShape);
    const auto run_all = [&] {
      const std::int64_t before = visits.total();
      for (int run = 0; run < kRuns; ++run) {
        tbb::flow::graph graph;
        std::deque<tbb::flow::continue_node<tbb::flow::continue_msg>> nodes;
        for (int i = 0; i < kNodes; ++i) {
          nodes.emplace_back(graph,
                             [&visits, i](const tbb::flow::continue_msg&) { visits.visit(i); });
        }
        for (const auto& [from, to] : all) {
          tbb::flow::make_edge(nodes[static_cast<std::size_t>(from)],
                               nodes[static_cast<std::size_t>(to)]);
        }
        nodes.front().try_put({});
        graph.wait_for_all();
      }
      return visits.total() - before;
    };
    return Figures{checked_ns(kOperations, run_all) / static_cast<double>(kOperations)};
  });
}

template Figures once_on_tbb<Shape::kChain>(const Conditions&);
template Figures once_on_tbb<Shape::kFan>(const Conditions&);
template Figures once_on_tbb<Shape::kWavefront>(const Conditions&);
template Figures once_on_tbb<Shape::kRandom>(const Conditions&);

}  // namespace bench::graph
