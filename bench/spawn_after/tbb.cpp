// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn_after by a tbb::flow::graph of continue_nodes.
#include <oneapi/tbb/flow_graph.h>

#include <deque>

#include "bench/spawn_after/workload.hpp"
#include "bench/support/inside_tbb.hpp"

namespace bench::spawn_after {

Figures on_tbb(const Conditions& conditions) {
  return inside_tbb(conditions.workers, [] {
    return Figures{node_ns([](Visits& visits) {
      using Message = tbb::flow::continue_msg;
      tbb::flow::graph graph;
      std::deque<tbb::flow::continue_node<Message>> nodes;
      for (std::size_t i = 0; i < kNodes; ++i) {
        nodes.emplace_back(graph, [&count = visits[i]](const Message&) { ++count; });
        if (i >= kSide) tbb::flow::make_edge(nodes[i - kSide], nodes[i]);
        if (i % kSide != 0) tbb::flow::make_edge(nodes[i - 1], nodes[i]);
      }
      nodes.front().try_put({});
      graph.wait_for_all();
    })};
  });
}

}  // namespace bench::spawn_after
