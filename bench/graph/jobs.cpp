// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph by a jobs::TaskGraph, and graph_once by a TaskGraph that keeps its memory.
#include "bench/graph/workload.hpp"
#include "bench/support/inside_jobs.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::graph {

template <Shape kShape>
Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    Visits visits;
    jobs::TaskGraph graph;
    std::vector<jobs::TaskGraph::Node> nodes;
    for (int i = 0; i < kNodes; ++i) nodes.push_back(graph.node([&visits, i] { visits.visit(i); }));
    for (const auto& [from, to] : edges(kShape)) {
      nodes[static_cast<std::size_t>(from)].precede(nodes[static_cast<std::size_t>(to)]);
    }
    graph.freeze();
    const auto run_all = [&] {
      const std::int64_t before = visits.total();
      for (int i = 0; i < kRuns; ++i) graph.run();
      return visits.total() - before;
    };
    return Figures{checked_ns(kOperations, run_all) / static_cast<double>(kOperations)};
  });
}

template Figures on_jobs<Shape::kChain>(const Conditions&);
template Figures on_jobs<Shape::kFan>(const Conditions&);
template Figures on_jobs<Shape::kWavefront>(const Conditions&);
template Figures on_jobs<Shape::kRandom>(const Conditions&);

template <Shape kShape>
Figures once_on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    Visits visits;
    const Edges all = edges(kShape);
    jobs::TaskGraph graph;
    std::vector<jobs::TaskGraph::Node> nodes;
    const auto run_all = [&] {
      const std::int64_t before = visits.total();
      for (int run = 0; run < kRuns; ++run) {
        graph.clear();
        nodes.clear();
        for (int i = 0; i < kNodes; ++i)
          nodes.push_back(graph.node([&visits, i] { visits.visit(i); }));
        for (const auto& [from, to] : all)
          nodes[static_cast<std::size_t>(from)].precede(nodes[static_cast<std::size_t>(to)]);
        graph.run();
      }
      return visits.total() - before;
    };
    return Figures{checked_ns(kOperations, run_all) / static_cast<double>(kOperations)};
  });
}

template Figures once_on_jobs<Shape::kChain>(const Conditions&);
template Figures once_on_jobs<Shape::kFan>(const Conditions&);
template Figures once_on_jobs<Shape::kWavefront>(const Conditions&);
template Figures once_on_jobs<Shape::kRandom>(const Conditions&);

}  // namespace bench::graph
