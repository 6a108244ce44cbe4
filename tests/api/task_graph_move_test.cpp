// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: graphs that are moved, before and between runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "jobs/task_graph.hpp"
#include "jobs/task_graph_run.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::TaskGraph;
using jobs::test::error_of;
using testing::HasSubstr;

class TaskGraphMoveTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskGraphMoveTest);

TaskGraph counting(std::atomic<int>& ran) {
  TaskGraph graph;
  const auto first = graph.node([&ran] { ++ran; });
  first.precede(graph.node([&ran] { ++ran; }), graph.node([&ran] { ++ran; }));
  return graph;
}

TEST_P(TaskGraphMoveTest, RunsBeforeAndAfterAMove) {
  run([] {
    std::atomic<int> ran{0};
    for (int runs_before = 0; runs_before < 3; ++runs_before) {
      TaskGraph first = counting(ran);
      for (int i = 0; i < runs_before; ++i) first.run();
      TaskGraph second = std::move(first);
      ran = 0;
      for (int round = 1; round <= 3; ++round) {
        second.run();
        EXPECT_EQ(ran, 3 * round);
      }
      std::vector<TaskGraph> graphs;
      graphs.push_back(std::move(second));
      for (int i = 0; i < 10; ++i) graphs.push_back(counting(ran));  // moves the elements
      ran = 0;
      for (TaskGraph& graph : graphs) graph.run();
      EXPECT_EQ(ran, 33);
    }
  });
}

TEST_P(TaskGraphMoveTest, HandlesResultsAndRunsFollow) {
  run([] {
    TaskGraph first;
    int value = 0;
    const auto number = first.node([&value] { return ++value; });
    TaskGraph second = std::move(first);
    const auto twice = second.node([](int n) { return 2 * n; }, {}, number);
    number.precede(second.node([] {}));
    second.run();
    TaskGraph::Run run(second);
    TaskGraph third;
    third = std::move(second);
    EXPECT_EQ(third.get(twice), 2);
    run.run();
    EXPECT_EQ(run.get(twice), 4);
    third.run();
    EXPECT_EQ(third.get(twice), 6);
    EXPECT_EQ(third.size(), 3u);
  });
}

TEST_P(TaskGraphMoveTest, AnOuterGraphFollows) {
  run([] {
    std::atomic<int> ran{0};
    TaskGraph inner = counting(ran);
    TaskGraph outer;
    outer.node(inner);
    TaskGraph moved = std::move(inner);
    outer.run();
    TaskGraph again = std::move(moved);
    outer.run();
    EXPECT_EQ(ran, 6);
  });
}

TEST_P(TaskGraphMoveTest, AnAssignmentDestroysTheOldNodes) {
  run([] {
    const auto alive = std::make_shared<int>(1);
    std::atomic<int> ran{0};
    TaskGraph graph;
    graph.node([alive] {});
    graph.node([alive] { return alive; });
    graph.run();
    graph.run();
    EXPECT_EQ(alive.use_count(), 4);
    graph = counting(ran);
    EXPECT_EQ(alive.use_count(), 1);
    graph.run();
    EXPECT_EQ(ran, 3);
    TaskGraph& same = graph;
    graph = std::move(same);
    graph.run();
    EXPECT_EQ(ran, 6) << "a graph that is moved to itself stays";
  });
}

TEST(TaskGraphMove, AGraphThatWasMovedFromSaysSo) {
  TaskGraph graph;
  const auto node = graph.node([] { return 1; });
  TaskGraph target = std::move(graph);
  // NOLINTBEGIN(bugprone-use-after-move): the test is about it
  TaskGraph outer;
  EXPECT_EQ(graph.size(), 0u);
  EXPECT_THAT(error_of([&] { graph.run(); }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { graph.freeze(); }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { graph.measure(); }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { graph.node([] {}); }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { graph.node([] { return 1; }); }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { outer.node(graph); }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { TaskGraph::Run{graph}; }), HasSubstr("moved"));
  EXPECT_THAT(error_of([&] { static_cast<void>(graph.get(node)); }), HasSubstr("moved"));
  EXPECT_EQ(outer.size(), 0u);
  std::ostringstream dot;
  graph.dump_dot(dot);
  EXPECT_THAT(dot.str(), testing::StartsWith("digraph"));
  graph.clear();
  graph = std::move(target);
  graph.run();
  EXPECT_EQ(graph.get(node), 1);
  // NOLINTEND(bugprone-use-after-move)
}

struct TaskGraphMoveDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(TaskGraphMoveDeathTest, MovedWhileItRuns) {
  for (const int runs_before : {0, 1}) {
    EXPECT_DEATH(
        {
          jobs::Scheduler scheduler({.worker_count = 1});
          TaskGraph graph;
          int rounds = 0;
          graph.node([&] {
            if (rounds++ == runs_before) TaskGraph other = std::move(graph);
          });
          for (int i = 0; i <= runs_before; ++i) scheduler.run([&] { graph.run(); });
        },
        "moved while it runs");
  }
}

TEST_F(TaskGraphMoveDeathTest, ReplacedWhileItRuns) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        TaskGraph graph;
        graph.node([&] { graph = TaskGraph(); });
        scheduler.run([&] { graph.run(); });
      },
      "replaced while it runs");
}

}  // namespace
