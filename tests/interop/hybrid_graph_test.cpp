// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Flow graphs of oneTBB in arenas of jobs::tbb: who runs the bodies, and that waits of workers end.
#include <gtest/gtest.h>
#include <tbb/flow_graph.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "jobs/this_fiber.hpp"

namespace {

namespace flow = tbb::flow;

class HybridGraphs : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, HybridGraphs, testing::Values(1, 2, 4));

constexpr int kRounds = 20;
constexpr int kMessages = 20;

// Adds its messages.
class Sum {
 public:
  explicit Sum(flow::graph& graph)
      : node_(graph, flow::unlimited, [this](int message) {
          sum_ += message;
          return flow::continue_msg();
        }) {}
  flow::function_node<int>& node() { return node_; }
  int value() const { return sum_; }

 private:
  std::atomic<int> sum_{0};
  flow::function_node<int> node_;
};

TEST_P(HybridGraphs, MayGiveFunctionsToTheArenaThatWaits) {
  tbb::task_arena arena(GetParam());
  for (int round = 0; round < kRounds; ++round) {
    arena.execute([&] {
      flow::graph graph;
      using Async = flow::async_node<int, int>;
      Async async(graph, flow::unlimited, [&](int message, Async::gateway_type& gateway) {
        gateway.reserve_wait();
        arena.enqueue([&gateway, message] {
          gateway.try_put(message);
          gateway.release_wait();
        });
      });
      Sum sum(graph);
      flow::make_edge(async, sum.node());
      for (int i = 0; i < kMessages; ++i) async.try_put(1);
      graph.wait_for_all();
      EXPECT_EQ(sum.value(), kMessages);
    });
  }
}

TEST_P(HybridGraphs, HaveBodiesThatEnterTheArena) {
  tbb::task_arena arena(GetParam());
  arena.execute([&] {
    flow::graph graph;
    std::atomic<int> calls{0};
    flow::function_node<int> node(graph, flow::serial, [&](int) {
      arena.execute([&] { ++calls; });
      return flow::continue_msg();
    });
    for (int i = 0; i < kMessages; ++i) node.try_put(i);
    graph.wait_for_all();
    EXPECT_EQ(calls, kMessages);
  });
}

// On a worker, a body that waits would let another job enter oneTBB on the same thread.
TEST_P(HybridGraphs, MayWaitAtATimeWithBodiesThatWait) {
  tbb::task_arena arena(GetParam());
  const auto run_graph = [] {
    flow::graph graph;
    flow::function_node<int, int> node(graph, flow::unlimited, [](int) {
      jobs::this_fiber::sleep_for(std::chrono::microseconds(200));
      std::atomic<int> calls{0};
      tbb::parallel_for(0, 100, [&](int) { ++calls; });
      return calls.load();
    });
    Sum sum(graph);
    flow::make_edge(node, sum.node());
    for (int i = 0; i < 10; ++i) node.try_put(i);
    graph.wait_for_all();
    EXPECT_EQ(sum.value(), 1000);
  };
  for (int round = 0; round < kRounds; ++round) {
    arena.execute([&] {
      tbb::task_group group;
      for (int i = 0; i < 8; ++i) group.run(run_graph);
      group.wait();
    });
  }
}

TEST_P(HybridGraphs, RunMessagesOfAnotherArena) {
  tbb::task_arena first(GetParam()), second(GetParam());
  for (int round = 0; round < kRounds; ++round) {
    first.execute([&] {
      // The worker has entered oneTBB before it makes the other graph.
      flow::graph before;
      Sum one(before);
      one.node().try_put(1);
      before.wait_for_all();
      flow::graph graph;
      Sum sum(graph);
      for (int i = 0; i < kMessages; ++i) sum.node().try_put(1);
      second.execute([&] { graph.wait_for_all(); });
      EXPECT_EQ(sum.value(), kMessages);
    });
  }
}

TEST_P(HybridGraphs, RunNoMoreBodiesAtATimeThanTheirArena) {
  tbb::task_arena arena(GetParam());
  std::atomic<int> now{0}, most{0};
  const auto run_graph = [&](flow::graph& graph) {
    flow::function_node<int> node(graph, flow::unlimited, [&](int) {
      const int running = ++now;
      for (int seen = most; running > seen && !most.compare_exchange_weak(seen, running);) {
      }
      for (const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
           std::chrono::steady_clock::now() < end;) {
      }
      --now;
      return flow::continue_msg();
    });
    for (int i = 0; i < 100; ++i) node.try_put(i);
    graph.wait_for_all();
  };
  arena.execute([&] {
    flow::graph graph;
    run_graph(graph);
  });
  flow::graph graph;
  arena.execute([&] {
    graph.reset();  // belongs to the arena from now on
    run_graph(graph);
  });
  EXPECT_LE(most, GetParam());
}

TEST_P(HybridGraphs, PassExceptionsOnAndRunAgain) {
  tbb::task_arena arena(GetParam());
  arena.execute([] {
    flow::graph graph;
    bool fails = true;
    flow::function_node<int> node(graph, flow::serial, [&](int) {
      if (fails) throw std::runtime_error("body");
      return flow::continue_msg();
    });
    node.try_put(1);
    EXPECT_THROW(graph.wait_for_all(), std::runtime_error);
    EXPECT_TRUE(graph.exception_thrown());
    EXPECT_TRUE(graph.is_cancelled());
    fails = false;
    graph.reset();
    Sum sum(graph);
    sum.node().try_put(7);
    graph.wait_for_all();
    EXPECT_EQ(sum.value(), 7);
    EXPECT_FALSE(graph.is_cancelled());
    graph.cancel();
    graph.wait_for_all();
    EXPECT_TRUE(graph.is_cancelled());
  });
}

// The thread that waits for one graph runs the bodies of the other one.
TEST_P(HybridGraphs, OfOneArenaMayBeConnected) {
  tbb::task_arena arena(GetParam());
  const auto make_graph = [&arena] {
    return arena.execute([] { return std::make_unique<flow::graph>(); });
  };
  const auto outer = make_graph();
  const auto inner = make_graph();
  flow::broadcast_node<int> input(*outer);
  flow::function_node<int, int> twice(*inner, flow::serial,
                                      [](int message) { return 2 * message; });
  flow::queue_node<int> results(*outer);
  flow::make_edge(input, twice);
  flow::make_edge(twice, results);
  for (int round = 0; round < 100; ++round) {
    input.try_put(round);
    inner->wait_for_all();
    outer->wait_for_all();
    int result = -1;
    ASSERT_TRUE(results.try_get(result));
    EXPECT_EQ(result, 2 * round);
  }
}

TEST(HybridGraph, IsFoundByADirective) {
  using namespace tbb::flow;
  static_assert(std::is_base_of_v<tbb::detail::d1::graph, graph>);
  static_assert(std::is_same_v<graph, tbb::flow::graph>);
  static_assert(std::is_same_v<graph_node, tbb::detail::d1::graph_node>);
  graph all;
  broadcast_node<int> node(all);
  EXPECT_TRUE(node.try_put(1));
  EXPECT_EQ(all.begin() == all.end(), false);
}

}  // namespace
