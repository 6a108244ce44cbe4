// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph_rebuilt by a jobs::TaskGraph.
#include "bench/rebuilt/workload.hpp"
#include "bench/support/inside_jobs.hpp"

namespace bench::rebuilt {

Figures on_jobs(const Conditions& conditions) {
  return inside_jobs(conditions, [] {
    return Figures{graph_ns([](Visits& visits) {
      jobs::TaskGraph graph;
      std::vector<jobs::TaskGraph::Node> nodes;
      nodes.reserve(kNodes);
      for (int& count : visits) nodes.push_back(graph.node([&count] { ++count; }));
      for (const auto& [from, to] : edges()) nodes[from].precede(nodes[to]);
      graph.run();
    })};
  });
}

}  // namespace bench::rebuilt
