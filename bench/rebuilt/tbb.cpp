// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// graph_rebuilt by a tbb::flow::graph of continue_nodes.
#include <oneapi/tbb/flow_graph.h>

#include <deque>

#include "bench/rebuilt/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::rebuilt {

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{graph_ns([](Visits& visits) {
      using Message = tbb::flow::continue_msg;
      tbb::flow::graph graph;
      std::deque<tbb::flow::continue_node<Message>> nodes;
      for (int& count : visits) nodes.emplace_back(graph, [&count](const Message&) { ++count; });
      for (const auto& [from, to] : edges()) tbb::flow::make_edge(nodes[from], nodes[to]);
      nodes.front().try_put({});
      graph.wait_for_all();
    })};
  });
}

}  // namespace bench::rebuilt
