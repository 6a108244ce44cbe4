// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph::Node: edges to and from nodes, results and ranges, in any order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <list>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "jobs/task_graph.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::TaskGraph;
using testing::HasSubstr;

class TaskGraphEdgesTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskGraphEdgesTest);

// Returns the edges of the graph, as "0>1 0>2".
std::string edges_of(const TaskGraph& graph) {
  std::ostringstream dot;
  graph.dump_dot(dot);
  std::istringstream lines(dot.str());
  std::string edges;
  for (std::string line; std::getline(lines, line);) {
    const auto arrow = line.find(" -> n");
    if (arrow == std::string::npos) continue;
    if (!edges.empty()) edges += ' ';
    edges += line.substr(3, arrow - 3);
    edges += '>';
    edges += line.substr(arrow + 5);
  }
  return edges;
}

TEST_P(TaskGraphEdgesTest, ResultsAndNodesPrecedeAndSucceedInAnyOrder) {
  run([] {
    TaskGraph graph;
    std::atomic<int> before{0}, after{0};
    const auto number = graph.node([&] { return ++before; });
    const auto plain = graph.node([&] { ++before; });
    auto text = graph.node([&] { return std::to_string(++before); });
    const auto middle = graph.node([&] { return before == 3 ? 1.5 : 0.0; });
    middle.succeed(number, plain, text);
    const auto last = graph.node([&] { return ++after; });
    middle.precede(last, graph.node([&] { ++after; }), graph.node([&] { return ++after; }));
    for (int round = 0; round < 3; ++round) {
      before = after = 0;
      graph.run();
      EXPECT_EQ(graph.get(middle), 1.5);
      EXPECT_EQ(after, 3);
    }
  });
}

TEST_P(TaskGraphEdgesTest, RangesPrecedeAndSucceed) {
  run([] {
    TaskGraph graph;
    std::atomic<int> before{0}, after{0}, seen{-1};
    std::vector<TaskGraph::Node> nodes;
    std::list<TaskGraph::Result<int>> results;
    for (int i = 0; i < 100; ++i) {
      nodes.push_back(graph.node([&] { ++before; }));
      results.push_back(graph.node([&] { return ++after; }));
    }
    const auto single = graph.node([&] { ++before; });
    const auto middle = graph.node([&] { seen = before.load(); });
    middle.succeed(nodes, single).precede(results);
    graph.run();
    EXPECT_EQ(seen, 101);
    EXPECT_EQ(after, 100);
  });
}

TEST(TaskGraphEdges, KeepTheOrderOfTheArguments) {
  TaskGraph graph;
  const auto a = graph.node([] {});
  const auto b = graph.node([] { return 1; });
  const auto c = graph.node([] {});
  const TaskGraph::Node d = graph.node([] { return std::string(); });
  std::array pair{b, graph.node([] { return 2; })};
  a.precede(d, pair, c);
  EXPECT_EQ(edges_of(graph), "0>3 0>1 0>4 0>2");
  c.succeed(std::span(pair), std::vector<TaskGraph::Node>());
  EXPECT_EQ(edges_of(graph), "0>3 0>1 0>4 0>2 1>2 4>2");
}

TEST(TaskGraphEdges, TakeListsInBracesAndViews) {
  TaskGraph graph;
  const auto a = graph.node([] {});
  const auto b = graph.node([] { return 1; });
  const auto c = graph.node([] {});
  a.precede({b, c});
  c.succeed({b});
  EXPECT_EQ(edges_of(graph), "0>1 0>2 1>2");
  std::vector<std::optional<TaskGraph::Node>> nodes{graph.node([] {}), std::nullopt};
  auto some = nodes | std::views::filter([](const auto& node) { return node.has_value(); }) |
              std::views::transform([](const auto& node) { return *node; });
  c.precede(some);
  EXPECT_EQ(edges_of(graph), "0>1 0>2 1>2 2>3");
}

TEST(TaskGraphEdges, RefuseNodesOfOtherGraphsInRanges) {
  TaskGraph graph, other;
  const auto node = graph.node([] {});
  const std::vector<TaskGraph::Node> theirs{other.node([] {})};
  const auto refuses = [&](auto f) {
    try {
      f();
    } catch (const jobs::Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("another graph"));
      return error.code() == jobs::ErrorCode::kBadArgument;
    }
    return false;
  };
  EXPECT_TRUE(refuses([&] { node.precede(theirs); }));
  EXPECT_TRUE(refuses([&] { node.succeed(theirs); }));
  EXPECT_TRUE(refuses([&] { node.precede({theirs[0]}); }));
  graph.run();
}

}  // namespace
