// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: graphs that are built, run once and cleared, as in a frame. The first run of a graph
// executes it as it was built; every shape, failure and stop behaves as in later runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "jobs/parallel_for.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/task_graph_run.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::TaskGraph;
using jobs::test::error_of;
using testing::HasSubstr;

class TaskGraphRebuildTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskGraphRebuildTest);

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

// Builds a graph, runs it once, and expects that each node has run once, after its predecessors.
// The nodes write without atomics: the edges order all accesses.
void run_once(TaskGraph& graph, std::size_t size, const Edges& edges) {
  std::vector<std::vector<std::size_t>> before(size);
  for (const auto& [from, to] : edges) before[to].push_back(from);
  std::vector<int> runs(size);
  std::atomic<int> mistakes{0};
  graph.clear();
  std::vector<TaskGraph::Node> nodes;
  for (std::size_t i = 0; i < size; ++i) {
    nodes.push_back(graph.node([&, i] {
      for (const std::size_t predecessor : before[i]) mistakes += runs[predecessor] != 1 ? 1 : 0;
      ++runs[i];
    }));
  }
  for (const auto& [from, to] : edges) nodes[from].precede(nodes[to]);
  graph.run();
  EXPECT_EQ(mistakes, 0);
  EXPECT_EQ(std::count(runs.begin(), runs.end(), 1), static_cast<std::ptrdiff_t>(size));
}

TEST_P(TaskGraphRebuildTest, RunsEveryShapeOnce) {
  run([] {
    TaskGraph graph;
    for (int frame = 0; frame < 3; ++frame) {
      run_once(graph, 0, {});
      run_once(graph, 1, {});
      run_once(graph, 300, {});
      Edges chain, fan, grid;
      for (std::size_t i = 1; i < 500; ++i) chain.emplace_back(i - 1, i);
      run_once(graph, 500, chain);
      // 1, 2, 3 and 8 successors stand in the vertex or in blocks; 64 and more need relays.
      for (const std::size_t width :
           {1u, 2u, 3u, 8u, 9u, 32u, 63u, 64u, 65u, 66u, 128u, 129u, 700u}) {
        fan.clear();
        for (std::size_t i = 1; i <= width; ++i) {
          fan.emplace_back(0, i);
          fan.emplace_back(i, width + 1);
        }
        run_once(graph, width + 2, fan);
      }
      constexpr std::size_t kSide = 25;
      for (std::size_t i = 0; i < kSide * kSide; ++i) {
        if (i % kSide != kSide - 1) grid.emplace_back(i, i + 1);
        if (i / kSide != kSide - 1) grid.emplace_back(i, i + kSide);
      }
      run_once(graph, kSide * kSide, grid);
    }
  });
}

TEST_P(TaskGraphRebuildTest, RunsRandomGraphsOnce) {
  run([] {
    std::mt19937_64 random(jobs::test::seed());
    TaskGraph graph;
    for (int repeat = 0; repeat < 40; ++repeat) {
      const std::size_t size = 1 + random() % 400;
      // The order in which the edges lead is not the order in which the nodes were added.
      std::vector<std::size_t> number(size);
      for (std::size_t i = 0; i < size; ++i) number[i] = i;
      if (repeat % 2 == 0) std::shuffle(number.begin(), number.end(), random);
      Edges edges;
      for (std::size_t i = 1; i < size; ++i) {
        for (std::size_t k = random() % 5; k > 0; --k)
          edges.emplace_back(number[random() % i], number[i]);  // may contain duplicates
      }
      run_once(graph, size, edges);
    }
    EXPECT_FALSE(HasFailure()) << jobs::test::replay();
  });
}

TEST_P(TaskGraphRebuildTest, LaterRunsOfTheSameGraphAgree) {
  run([] {
    TaskGraph graph;
    for (int frame = 0; frame < 3; ++frame) {
      graph.clear();
      std::vector<int> runs(200);
      std::vector<TaskGraph::Node> nodes;
      for (int& count : runs) nodes.push_back(graph.node([&count] { ++count; }));
      for (std::size_t i = 1; i < runs.size(); ++i) nodes[i / 3].precede(nodes[i]);
      const auto sum = graph.node([&] {
        long total = 0;
        for (const int count : runs) total += count;
        return total;
      });
      for (const TaskGraph::Node& node : nodes) node.precede(sum);
      for (long round = 1; round <= 4; ++round) {
        graph.run();
        EXPECT_EQ(graph.get(sum), 200 * round);
      }
    }
  });
}

TEST_P(TaskGraphRebuildTest, ANodeOfTheFirstRunMayWaitForOneThatIsReady) {
  run([] {
    TaskGraph graph;
    constexpr int kWaiting = 70;  // one relay and more
    std::array<jobs::Event, kWaiting> events;
    const auto first = graph.node([] {});
    for (int i = 0; i < kWaiting; ++i) {
      first.precede(graph.node([&events, i] {
        events[static_cast<std::size_t>(i)].signal();
        events[static_cast<std::size_t>(kWaiting - 1 - i)].wait();
      }));
    }
    graph.run();
  });
}

TEST_P(TaskGraphRebuildTest, NodesOfTheFirstRunMaySpawnLoopAndRunGraphs) {
  run([] {
    TaskGraph graph;
    std::atomic<int> ran{0};
    for (int i = 0; i < 10; ++i) {
      graph.node([&ran] {
        TaskGraph inner;
        const auto first = inner.node([&ran] { ++ran; });
        for (int k = 0; k < 5; ++k) first.precede(inner.node([&ran] { ++ran; }));
        inner.run();
        jobs::parallel_for(0, 10, [&ran](int) { ++ran; }, jobs::Grain(1));
        jobs::Counter done;
        jobs::spawn(done, [&ran] { ++ran; });
        done.wait();
      });
    }
    graph.run();
    EXPECT_EQ(ran, 10 * (6 + 10 + 1));
  });
}

TEST_P(TaskGraphRebuildTest, ThrowsTheFirstExceptionOfTheFirstRun) {
  run([] {
    TaskGraph graph;
    for (int frame = 0; frame < 5; ++frame) {
      graph.clear();
      bool fails = true;
      int after = 0;
      const auto failing = graph.node([&] {
        if (fails) throw std::runtime_error("node");
      });
      const auto next = graph.node([&] { ++after; });
      failing.precede(next);
      for (int i = 0; i < 100; ++i) next.precede(graph.node([&] { EXPECT_FALSE(fails); }));
      EXPECT_THROW(graph.run(), std::runtime_error);
      EXPECT_EQ(after, 0) << "nodes after a failure are left out";
      fails = false;
      if (frame % 2 == 0) {
        graph.run();
        EXPECT_EQ(after, 1);
      }
    }
  });
}

TEST_P(TaskGraphRebuildTest, StopsTheFirstRun) {
  run([] {
    TaskGraph graph;
    for (const bool at_once : {true, false}) {
      graph.clear();
      std::stop_source stop;
      int after = 0;
      const auto node = graph.node([&] { stop.request_stop(); });
      node.precede(graph.node([&] { ++after; }));
      if (at_once) stop.request_stop();
      EXPECT_THROW(graph.run(stop.get_token()), jobs::Cancelled);
      EXPECT_EQ(after, 0);
      graph.run();
      EXPECT_EQ(after, 1) << "a run after a stop";
    }
    graph.clear();
    std::stop_source stop;
    graph.node([&] { stop.request_stop(); });
    graph.run(stop.get_token());  // all nodes have run: the stop cut nothing short
  });
}

// The graph keeps all of its memory: nodes, closures, edges, names and results.
TEST_P(TaskGraphRebuildTest, NeedsNoAllocatorFromTheSecondFrameOn) {
  run([] {
    TaskGraph graph;
    std::vector<TaskGraph::Node> nodes;
    nodes.reserve(400);
    std::vector<int> counts(400);
    int sum = 0;
    const auto frame = [&] {
      graph.clear();
      nodes.clear();
      for (int& count : counts) nodes.push_back(graph.node([&count] { ++count; }, "a node"));
      for (std::size_t i = 1; i < nodes.size(); ++i) {
        nodes[i / 100].precede(nodes[i]);
        if (i % 2 == 0 && i > 100) nodes[i].precede(nodes[i - 1]);  // to an older one: is checked
      }
      const std::array<int, 40> large{1};
      const auto number = graph.node([large] { return large[0] + 1.5; });
      graph.node([&sum](double value) { sum += static_cast<int>(2 * value); }, {}, number);
      graph.run();
    };
    for (int i = 0; i < 3; ++i) frame();
    // Workers may allocate for themselves in some frames, but not in all.
    std::uint64_t least = UINT64_MAX;
    for (int i = 0; i < 20 && least != 0; ++i)
      least = std::min(least, jobs::test::allocations_in(frame));
    EXPECT_EQ(least, 0u);
  });
}

struct alignas(256) Aligned {
  int value = 7;
};

TEST_P(TaskGraphRebuildTest, DestroysFunctionsAndResults) {
  run([] {
    const auto alive = std::make_shared<int>(1);
    TaskGraph graph;
    for (int frame = 0; frame < 3; ++frame) {
      graph.clear();
      EXPECT_EQ(alive.use_count(), 1);
      const auto copy = graph.node([alive] { return alive; });
      bool is_aligned = false;
      graph.node(
          [alive, aligned = Aligned(), &is_aligned](const std::shared_ptr<int>&) {
            is_aligned = reinterpret_cast<std::uintptr_t>(&aligned) % 256 == 0;
          },
          "reader", copy);
      graph.node(std::function<void()>([alive] {}));
      EXPECT_EQ(alive.use_count(), 4);
      graph.run();
      EXPECT_TRUE(is_aligned);
      EXPECT_EQ(alive.use_count(), 5);
      graph.run();
      EXPECT_EQ(alive.use_count(), 5) << "the second run has replaced the result of the first";
      EXPECT_EQ(graph.get(copy), alive);
    }
    graph.clear();
    EXPECT_EQ(alive.use_count(), 1);
  });
}

// Conditions, places, limits, priorities and sub-graphs can be built anew as well.
TEST_P(TaskGraphRebuildTest, RebuildsGraphsThatNeedALayout) {
  run([] {
    TaskGraph inner, graph;
    std::atomic<int> inner_runs{0};
    inner.node([&] { ++inner_runs; });
    TaskGraph::Limit limit(1);
    for (int frame = 1; frame <= 4; ++frame) {
      graph.clear();
      int rounds = 0;
      const auto start = graph.node(inner, "sub");
      const auto body = graph.node([&] { ++rounds; });
      const auto again = graph.condition([&] { return rounds < 10 ? 0 : 1; });
      body.limit(limit).priority(frame).on(jobs::worker(0));
      start.precede(body);
      body.precede(again);
      again.precede(body);
      graph.run();
      EXPECT_EQ(rounds, 10);
      EXPECT_EQ(inner_runs, frame);
    }
    graph.clear();
    bool ran = false;
    graph.node([&] { ran = true; });
    graph.run();
    EXPECT_TRUE(ran) << "nothing is left of the traits";
  });
}

TEST(TaskGraphRebuild, NamesACycleBeforeTheFirstRunBegins) {
  TaskGraph graph;
  for (int frame = 0; frame < 2; ++frame) {
    graph.clear();
    bool ran = false;
    const auto start = graph.node([&] { ran = true; }, "start");
    const auto a = graph.node([] {}, "a"), b = graph.node([] {}, "b");
    start.precede(a);
    a.precede(b);
    b.precede(a);
    EXPECT_THAT(error_of([&] { graph.run(); }),
                testing::AnyOf(HasSubstr("a -> b -> a"), HasSubstr("b -> a -> b")));
    EXPECT_FALSE(ran);
    EXPECT_EQ(graph.size(), 3u);
  }
  graph.clear();
  const auto own = graph.node([] {}, "own");
  own.precede(own);
  EXPECT_THAT(error_of([&] { graph.run(); }), HasSubstr("own -> own"));
}

TEST(TaskGraphRebuild, CannotBeChangedAfterARunButCleared) {
  TaskGraph graph;
  auto node = graph.node([] { return 1.0; });
  graph.run();
  EXPECT_THAT(error_of([&] { graph.node([] {}); }), HasSubstr("frozen"));
  EXPECT_THAT(error_of([&] { node.precede(node); }), HasSubstr("frozen"));
  EXPECT_THAT(error_of([&] { node.priority(1); }), HasSubstr("frozen"));
  EXPECT_THAT(error_of([&] { graph.measure(); }), HasSubstr("frozen"));
  graph.clear();
  EXPECT_EQ(graph.size(), 0u);
  const auto next = graph.node([] {});
  EXPECT_THAT(error_of([&] { node.precede(next); }), HasSubstr("clear()"));
  EXPECT_THAT(error_of([&] { next.precede(node); }), HasSubstr("clear()"));
  EXPECT_THAT(error_of([&] { node.priority(1); }), HasSubstr("clear()"));
  EXPECT_THAT(error_of([&] { static_cast<void>(graph.get(node)); }), HasSubstr("clear()"));
  EXPECT_THAT(error_of([&] { graph.node([](double) {}, {}, node); }), HasSubstr("clear()"));
  EXPECT_EQ(graph.size(), 1u);
  auto number = graph.node([] { return 2.0; });
  EXPECT_THAT(error_of([&] { static_cast<void>(graph.get(number)); }), HasSubstr("has not run"));
  graph.run();
  EXPECT_EQ(graph.get(number), 2.0);
}

TEST(TaskGraphRebuild, AChangeWhileItRunsIsRefused) {
  jobs::Scheduler scheduler({.worker_count = 2});
  TaskGraph graph;
  std::string message;
  graph.node([&] { message = error_of([&] { graph.node([] {}); }); });
  scheduler.run([&] { graph.run(); });
  EXPECT_THAT(message, HasSubstr("frozen"));
  EXPECT_EQ(graph.size(), 1u);
}

TEST(TaskGraphRebuild, AFirstRunThatIsRefusedLeavesNoTrace) {
  TaskGraph graph;
  int ran = 0;
  const auto first = graph.node([&] { ++ran; });
  first.precede(graph.node([&] { ++ran; }));
  std::stop_source source;
  {
    jobs::Scheduler stopped({.worker_count = 1});
    const jobs::SchedulerScope scope(stopped);
    stopped.shutdown();
    EXPECT_THROW(graph.run(source.get_token()), jobs::Error);
  }
  source.request_stop();
  jobs::Scheduler scheduler({.worker_count = 1});
  const jobs::SchedulerScope scope(scheduler);
  graph.run();
  EXPECT_EQ(ran, 2);
  graph.run();
  EXPECT_EQ(ran, 4);
}

TEST(TaskGraphRebuild, ASubGraphThatWasClearedIsRefused) {
  TaskGraph inner, outer;
  std::atomic<int> ran{0};
  inner.node([&] { ++ran; });
  outer.node(inner);
  TaskGraph::Run(outer).run();
  inner.clear();
  EXPECT_THAT(error_of([&] { TaskGraph::Run{outer}; }), HasSubstr("sub-graph that was cleared"));
  inner.node([&] { ran += 10; });
  inner.freeze();
  TaskGraph::Run(outer).run();
  EXPECT_EQ(ran, 11);
}

struct TaskGraphRebuildDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(TaskGraphRebuildDeathTest, ClearedWhileItRuns) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        TaskGraph graph;
        graph.node([&] { graph.clear(); });
        scheduler.run([&] { graph.run(); });
      },
      "cleared while it runs");
}

TEST_F(TaskGraphRebuildDeathTest, ClearedWhileARunExists) {
  EXPECT_DEATH(
      {
        TaskGraph graph;
        graph.node([] {});
        const TaskGraph::Run run(graph);
        graph.clear();
      },
      "cleared while a Run of it exists");
}

}  // namespace
