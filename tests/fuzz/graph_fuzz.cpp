// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Any graph: it is refused for a cycle or because no node can start, or each of its runs ends. If
// no node throws and no stop is requested, every node has run exactly once, after its predecessors.
// Conditions occur only in graphs of another kind: one line of nodes with edges back. Elsewhere
// conditions would soon start a running node, which the contract forbids.
#include <array>
#include <atomic>
#include <sstream>
#include <stop_token>
#include <vector>

#include "jobs/jobs.hpp"
#include "tests/fuzz/input.hpp"

namespace {

using jobs::test::expect;
using jobs::test::Input;

struct Thrown {};

constexpr std::size_t kMaxNodes = 24;
// Limit of turns that a condition takes before it selects its second successor.
constexpr unsigned kMostTurns = 8;
// Limit of backward steps of all conditions of a graph. With nested conditions the number would be
// 8 to the power of their number.
constexpr unsigned kMostWaysBack = 500;

struct Shape {
  bool throws = false;
  bool is_line = false;
  std::vector<std::pair<std::size_t, std::size_t>> edges;
};

struct State {
  std::array<std::atomic<unsigned>, kMaxNodes> ran{};
  std::array<std::atomic<unsigned>, kMaxNodes> at{};  // when each node ran last
  std::atomic<unsigned> now{0};
  std::atomic<unsigned> ways_back{0};
};

void come_by(State& state, std::size_t index) {
  ++state.ran[index];
  state.at[index] = ++state.now;
}

jobs::TaskGraph::Node add_node(jobs::TaskGraph& graph, Shape& shape, State& state,
                               std::size_t index, Input& input) {
  switch (input.below(16)) {
    case 1:
      shape.throws = true;
      return graph.node([&state, index] {
        come_by(state, index);
        throw Thrown();
      });
    case 2:
      return graph.node([&state, index] {
        jobs::yield();
        come_by(state, index);
      });
    default:
      return graph.node([&state, index] { come_by(state, index); },
                        input.below(4) == 0 ? input.text(8) : std::string());
  }
}

Shape build(jobs::TaskGraph& graph, State& state, jobs::TaskGraph::Limit& limit, Input& input,
            std::size_t size) {
  Shape shape;
  std::vector<jobs::TaskGraph::Node> nodes;
  for (std::size_t i = 0; i < size; ++i) {
    nodes.push_back(add_node(graph, shape, state, i, input));
    if (input.below(8) == 0) nodes[i].limit(limit);
    if (input.below(8) == 0) nodes[i].priority(static_cast<int>(input.byte()) - 128);
    if (input.below(8) == 0) nodes[i].on(jobs::worker(static_cast<unsigned>(input.below(2))));
  }
  // Mostly forward edges; otherwise hardly any graph would be without a cycle.
  for (std::size_t edges = input.below(2 * size); edges > 0; --edges) {
    std::size_t from = input.below(size);
    std::size_t to = input.below(size);
    if (from > to && input.below(8) != 0) std::swap(from, to);
    if (from == to && input.below(8) != 0) continue;
    nodes[from].precede(nodes[to]);
    shape.edges.emplace_back(from, to);
  }
  return shape;
}

// A line of nodes, some of them conditions. A condition goes back to an earlier node a few times,
// or ends the run early, or continues.
Shape build_line(jobs::TaskGraph& graph, State& state, Input& input, std::size_t size) {
  Shape shape;
  shape.is_line = true;
  std::vector<jobs::TaskGraph::Node> nodes{graph.node([&state] { come_by(state, 0); })};
  for (std::size_t i = 1; i < size; ++i) {
    if (input.below(3) != 0) {
      nodes.push_back(add_node(graph, shape, state, i, input));
      nodes[i - 1].precede(nodes[i]);
      continue;
    }
    const int ends_at = input.byte();
    nodes.push_back(graph.condition([&state, i, ends_at] {
      come_by(state, i);
      const unsigned turns = state.ran[i];
      if (turns == static_cast<unsigned>(ends_at)) return -1;
      return turns % kMostTurns == 0 || ++state.ways_back > kMostWaysBack ? 1 : 0;
    }));
    nodes[i - 1].precede(nodes[i]);
    nodes[i].precede(nodes[1 + input.below(i)]);  // 0: back. 1: forward, to the next node
  }
  return shape;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static jobs::Scheduler scheduler({.worker_count = 2});
  Input input({data, size});
  State state;
  scheduler.run([&] {
    jobs::TaskGraph::Limit limit(1 + input.below(3));
    jobs::TaskGraph graph;
    const bool is_line = input.below(4) == 0;
    const std::size_t count = 1 + input.below(kMaxNodes);
    const Shape shape =
        is_line ? build_line(graph, state, input, count) : build(graph, state, limit, input, count);
    if (input.below(4) == 0) graph.measure();
    try {
      graph.freeze();
    } catch (const jobs::Error& error) {
      expect(error.code() == jobs::ErrorCode::kBadArgument, "the wrong error");
      return;
    }
    const unsigned runs = 1 + static_cast<unsigned>(input.below(3));
    std::stop_source stop;
    const bool stops = input.below(8) == 0;
    if (stops) stop.request_stop();
    for (unsigned run = 1; run <= runs; ++run) {
      try {
        graph.run(stop.get_token());
      } catch (const Thrown&) {
        expect(shape.throws, "an exception of nobody");
      } catch (const jobs::Cancelled&) {
        expect(stops, "a stop that nobody has requested");
      }
      if (shape.is_line || shape.throws || stops) continue;
      for (std::size_t i = 0; i < graph.size(); ++i)
        expect(state.ran[i] == run, "a node did not run once in each run");
      for (const auto& [from, to] : shape.edges)
        expect(state.at[from] < state.at[to], "a node ran before one that precedes it");
    }
    std::ostringstream dot;
    graph.dump_dot(dot);
    expect(dot.str().starts_with("digraph"), "a dump that is no graph");
  });
  return 0;
}
