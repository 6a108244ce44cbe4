// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: an argument for each run, also of runs that go on at the same time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/task_graph_run.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::TaskGraph;
using jobs::test::error_of;
using testing::HasSubstr;

class TaskGraphArgumentTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskGraphArgumentTest);

struct Frame {
  int number = 0;
  int updated = 0;
  std::string drawn = {};
};

// update -> draw, and 100 nodes that read between the two.
struct FrameGraph {
  FrameGraph() {
    const auto frame = graph.argument<Frame>();
    const auto update = graph.node(
        [](Frame& its) {
          its.updated = its.number + 1;
          return its.updated;
        },
        "update", frame);
    const auto draw = graph.node([](int number, Frame& its) { its.drawn = std::to_string(number); },
                                 "draw", update, frame);
    for (int i = 0; i < 100; ++i) {
      const auto reader = graph.node(
          [this](const Frame& its) { mistakes += its.updated != its.number + 1 ? 1 : 0; }, {},
          frame);
      reader.succeed(update).precede(draw);
    }
  }

  TaskGraph graph;
  std::atomic<int> mistakes{0};
};

TEST_P(TaskGraphArgumentTest, EachRunHasItsArgument) {
  run([] {
    FrameGraph frames;
    for (int i = 0; i < 5; ++i) {
      Frame frame{.number = i};
      frames.graph.run(frame);
      EXPECT_EQ(frame.drawn, std::to_string(i + 1));
    }
    TaskGraph::Run again(frames.graph);
    Frame frame{.number = 7};
    again.run(frame);
    EXPECT_EQ(frame.drawn, "8");
    EXPECT_EQ(frames.mistakes, 0);
  });
}

TEST_P(TaskGraphArgumentTest, ConcurrentRunsHaveAnArgumentEach) {
  run([] {
    FrameGraph frames;
    constexpr std::size_t kRuns = 4;
    std::vector<std::unique_ptr<TaskGraph::Run>> runs;
    for (std::size_t i = 0; i < kRuns; ++i)
      runs.push_back(std::make_unique<TaskGraph::Run>(frames.graph));
    for (int round = 0; round < 20; ++round) {
      std::vector<Frame> arguments(kRuns);
      for (std::size_t i = 0; i < kRuns; ++i) {
        arguments[i].number = 10 * round + static_cast<int>(i);
        runs[i]->start(arguments[i]);
      }
      for (std::size_t i = 0; i < kRuns; ++i) {
        runs[i]->wait();
        EXPECT_EQ(arguments[i].drawn, std::to_string(arguments[i].number + 1));
      }
    }
    EXPECT_EQ(frames.mistakes, 0);
  });
}

// All runs are under way before any of them ends.
TEST_P(TaskGraphArgumentTest, RunsThatWaitForEachOtherKeepTheirArguments) {
  run([] {
    TaskGraph graph;
    std::atomic<int> begun{0};
    jobs::Event all;
    const auto number = graph.argument<int>();
    const auto first = graph.node(
        [&](int) {
          if (++begun == 3) all.signal();
          all.wait();
        },
        {}, number);
    first.precede(graph.node([](int& its) { its *= 2; }, {}, number));
    int numbers[3] = {1, 2, 3};
    TaskGraph::Run runs[3] = {TaskGraph::Run(graph), TaskGraph::Run(graph), TaskGraph::Run(graph)};
    for (int i = 0; i < 3; ++i) runs[i].start(numbers[i]);
    for (auto& one : runs) one.wait();
    EXPECT_THAT(numbers, testing::ElementsAre(2, 4, 6));
  });
}

TEST_P(TaskGraphArgumentTest, AConditionReadsTheArgument) {
  run([] {
    TaskGraph graph;
    const auto choice = graph.argument<const int>();
    std::string path;
    const auto decide = graph.condition([](int chosen) { return chosen; }, "decide", choice);
    decide.precede(graph.node([&] { path += 'a'; }), graph.node([&] { path += 'b'; }));
    for (const int chosen : {1, 0, 2, 1}) graph.run(chosen);
    graph.run(0);  // a temporary object lives as long as the call
    EXPECT_EQ(path, "baba");
  });
}

TEST_P(TaskGraphArgumentTest, ASubGraphGetsTheArgumentOfTheOuterRun) {
  run([] {
    TaskGraph inner, outer;
    const auto its = inner.argument<int>();
    inner.node([](int& number) { ++number; }, {}, its);
    const auto ours = outer.argument<int>();
    const auto doubled = outer.node([](int& number) { number *= 2; }, {}, ours);
    outer.node(inner).succeed(doubled);
    int number = 5;
    outer.run(number);
    EXPECT_EQ(number, 11);
    int a = 1, b = 2;
    TaskGraph::Run first(outer), second(outer);
    first.start(a);
    second.start(b);
    first.wait();
    second.wait();
    EXPECT_EQ(a, 3);
    EXPECT_EQ(b, 5);
  });
}

TEST_P(TaskGraphArgumentTest, FailuresAndStopsLeaveTheNextArgumentAlone) {
  run([] {
    TaskGraph graph;
    const auto number = graph.argument<int>();
    std::stop_source stop;
    const auto first = graph.node(
        [&](int& its) {
          if (its == 1) throw std::runtime_error("one");
          if (its == 2) stop.request_stop();
        },
        {}, number);
    first.precede(graph.node([](int& its) { its += 100; }, {}, number));
    int one = 1, two = 2, three = 3;
    EXPECT_THROW(graph.run(one), std::runtime_error);
    EXPECT_THROW(graph.run(two, stop.get_token()), jobs::Cancelled);
    graph.run(three);
    EXPECT_EQ(one, 1);
    EXPECT_EQ(two, 2);
    EXPECT_EQ(three, 103);
  });
}

TEST_P(TaskGraphArgumentTest, AFrameWithAnArgumentNeedsNoAllocator) {
  run([] {
    TaskGraph graph;
    int sum = 0;
    const auto frame = [&] {
      graph.clear();
      const auto number = graph.argument<int>();
      const auto first = graph.node([](int& its) { return ++its; }, {}, number);
      graph.node([&sum](int its) { sum += its; }, {}, first);
      int argument = 1;
      graph.run(argument);
    };
    for (int i = 0; i < 3; ++i) frame();
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < 20 && least != 0; ++i)
      least = std::min(least, jobs::test::allocations_in(frame));
    EXPECT_EQ(least, 0u);
    EXPECT_EQ(sum % 2, 0);
  });
}

TEST(TaskGraphArgument, OfAnotherTypeIsRefused) {
  TaskGraph graph;
  bool ran = false;
  const auto number = graph.argument<int>();
  graph.node([&ran](int) { ran = true; }, {}, number);
  const int fixed = 1;
  double other = 1;
  EXPECT_THAT(error_of([&] { graph.argument<int>(); }), HasSubstr("already"));
  for (int round = 0; round < 2; ++round) {  // open, and frozen
    EXPECT_THAT(error_of([&] { graph.run(); }), HasSubstr("needs an argument"));
    EXPECT_THAT(error_of([&] { graph.run(other); }), HasSubstr("another type"));
    EXPECT_THAT(error_of([&] { graph.run(fixed); }), HasSubstr("another type"));
    if (round == 0) graph.freeze();
  }
  EXPECT_THAT(error_of([&] { TaskGraph::Run(graph).run(); }), HasSubstr("needs an argument"));
  EXPECT_THAT(error_of([&] { TaskGraph::Run(graph).start(other); }), HasSubstr("another type"));
  EXPECT_THAT(error_of([&] { graph.argument<int>(); }), HasSubstr("frozen"));
  EXPECT_FALSE(ran);
  TaskGraph plain;
  plain.node([] {});
  EXPECT_THAT(error_of([&] { plain.run(other); }), HasSubstr("takes no argument"));
  EXPECT_THAT(error_of([&] { plain.node([](int) {}, {}, number); }), HasSubstr("another graph"));
  plain.run();
  graph.clear();
  EXPECT_THAT(error_of([&] { graph.node([](int) {}, {}, number); }), HasSubstr("clear()"));
  graph.node([&ran] { ran = true; });
  graph.run();  // clear() has removed the argument
  EXPECT_TRUE(ran);
}

// A node of a sub-graph cannot get the wrong argument: its node fails instead.
TEST(TaskGraphArgument, OfASubGraphMustBeThatOfTheOuterGraph) {
  TaskGraph inner, outer;
  bool ran = false;
  inner.node([&ran](int) { ran = true; }, {}, inner.argument<int>());
  outer.node(inner);
  EXPECT_THAT(error_of([&] { outer.run(); }), HasSubstr("needs an argument"));
  EXPECT_FALSE(ran);
}

}  // namespace
