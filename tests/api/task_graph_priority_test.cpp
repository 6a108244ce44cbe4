// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Nodes of a graph with a jobs::Priority: their order among jobs, their combination with places,
// limits and conditions, and the starvation of none.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/task_graph.hpp"
#include "jobs/this_fiber.hpp"
#include "tests/support/before_due.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::Priority;
using jobs::TaskGraph;

constexpr std::array kAll = {Priority::kCritical, Priority::kHigh, Priority::kNormal,
                             Priority::kLow, Priority::kBackground};

class GraphPriorities : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(GraphPriorities);

TEST_P(GraphPriorities, OrderNodesAmongAllJobs) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    TaskGraph graph;
    jobs::Counter done;
    std::string order;
    const auto root = graph.node([&] {
      order.clear();
      jobs::spawn(done, [&] { order += 'h'; }, {.priority = Priority::kHigh});
      jobs::spawn(done, [&] { order += 'l'; }, {.priority = Priority::kLow});
    });
    const auto add = [&](Priority priority, char letter) {
      root.precede(graph.node([&order, letter] { order += letter; }).priority(priority));
    };
    add(Priority::kBackground, 'B');
    add(Priority::kLow, 'L');
    add(Priority::kNormal, 'N');
    add(Priority::kHigh, 'H');
    add(Priority::kCritical, 'C');
    const auto order_of_run = [&] {
      graph.run();
      done.wait();
      return order;
    };
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(jobs::test::before_due(jobs::test::kLowDue, order_of_run), "ChHNlLB")
          << "round " << round;
    }
  });
}

// Sources, successors of one node, and nodes with several predecessors.
TEST_P(GraphPriorities, KeepTheNumbersOfNodesOfOnePriority) {
  if (!is_serial()) GTEST_SKIP() << "others run meanwhile";
  run([] {
    for (const Priority priority : kAll) {
      if (priority == Priority::kNormal) continue;  // not queued apart
      for (const int predecessors : {0, 1, 2}) {
        TaskGraph graph;
        std::vector<int> order;
        std::vector<TaskGraph::Node> before;
        for (int i = 0; i < predecessors; ++i) before.push_back(graph.node([] {}));
        for (const int number : {3, 9, 1, 7, 5}) {
          graph.node([&order, number] { order.push_back(number); })
              .priority(number)
              .priority(priority)
              .succeed(before);
        }
        graph.run();
        EXPECT_EQ(order, std::vector({9, 7, 5, 3, 1})) << "after " << predecessors;
      }
    }
  });
}

// Layers of nodes that depend on some nodes of the previous layer, with all combinations of
// options.
TEST_P(GraphPriorities, RunEachNodeOnceWithPlacesAndLimits) {
  run([] {
    const unsigned workers = jobs::worker_count();
    for (unsigned sources = 1; sources <= 3; ++sources) {
      TaskGraph graph;
      TaskGraph::Limit limit(2);
      std::atomic<int> inside{0};
      std::atomic<int> faults{0};
      std::vector<std::unique_ptr<int>> rounds;
      std::vector<TaskGraph::Node> before;
      for (unsigned layer = 0; layer < 10; ++layer) {
        std::vector<TaskGraph::Node> here;
        for (unsigned i = 0; i < (layer == 0 ? sources : 8); ++i) {
          int& runs = *rounds.emplace_back(std::make_unique<int>(0));
          const unsigned choice = (layer * 5 + i * 3) % (workers + 2);
          const bool is_placed = choice < workers;
          const bool is_limited = i % 3 == 2;
          const auto node = graph.node([&, choice, is_placed, is_limited] {
            ++runs;
            if (is_placed && jobs::worker_index() != std::optional(choice)) ++faults;
            if (!is_limited) return;
            if (++inside > 2) ++faults;
            --inside;
          });
          node.priority(kAll[(layer + i) % kAll.size()]);
          if (is_placed) node.on(jobs::worker(choice));
          if (choice == workers) node.on(jobs::not_main_thread);
          if (is_limited) node.limit(limit);
          for (std::size_t k = 0; k < before.size(); ++k) {
            if (i == 0 || k % 3 == i % 3) before[k].precede(node);
          }
          here.push_back(node);
        }
        before = std::move(here);
      }
      for (int round = 1; round <= 20; ++round) {
        graph.run();
        ASSERT_EQ(faults, 0);
        for (const auto& runs : rounds) ASSERT_EQ(*runs, round);
      }
    }
  });
}

TEST_P(GraphPriorities, HoldInConditionsAndSubGraphs) {
  run([] {
    for (const Priority priority : kAll) {
      TaskGraph inner;
      int turns = 0;
      const auto body = inner.node([&] { ++turns; }).priority(priority);
      const auto again = inner.condition([&] { return turns % 10 != 0 ? 0 : 1; });
      const auto begin = inner.node([] {}).priority(Priority::kLow);
      const auto end = inner.node([] {}).priority(Priority::kCritical);
      begin.precede(body);
      body.precede(again);
      again.priority(Priority::kHigh).precede(body, end);
      TaskGraph outer;
      outer.node(inner).priority(priority).succeed(outer.node([] {}));
      for (int round = 1; round <= 10; ++round) {
        outer.run();
        EXPECT_EQ(turns, 10 * round);
      }
    }
  });
}

TEST_P(GraphPriorities, AFailureLeavesOutTheirNodes) {
  run([] {
    TaskGraph graph;
    std::atomic<int> late{0};
    const auto fails = graph.node([] { throw std::runtime_error("here"); }).priority(kAll[1]);
    for (const Priority priority : kAll)
      graph.node([&late] { ++late; }).priority(priority).succeed(fails);
    for (int round = 0; round < 20; ++round) EXPECT_THROW(graph.run(), std::runtime_error);
    EXPECT_EQ(late, 0);
  });
}

// A job that spawns its successor until it is told to stop.
void flood(jobs::Counter& done, const std::atomic<bool>& enough, Priority priority) {
  jobs::spawn(done,
              [&done, &enough, priority] {
                if (!enough) flood(done, enough, priority);
              },
              {.priority = priority});
}

TEST_P(GraphPriorities, AreStarvedByNoJobs) {
  run([] {
    TaskGraph graph;
    std::optional<TaskGraph::Node> before;
    for (const Priority priority : kAll) {
      const auto node = graph.node([] {}).priority(priority);
      if (before) node.succeed(*before);
      before = node;
    }
    for (const Priority priority : kAll) {
      jobs::Counter done;
      std::atomic<bool> enough{false};
      for (unsigned i = 0; i < jobs::worker_count(); ++i) flood(done, enough, priority);
      graph.run();
      enough = true;
      done.wait();
    }
  });
}

TEST_P(GraphPriorities, RefuseOtherValuesAndLateCalls) {
  run([] {
    TaskGraph graph;
    bool ran = false;
    const auto node = graph.node([&ran] { ran = true; });
    for (const int value : {5, 255}) {
      EXPECT_EQ(jobs::test::code_of([&] { node.priority(static_cast<Priority>(value)); }),
                jobs::ErrorCode::kBadArgument);
    }
    graph.run();
    EXPECT_TRUE(ran);
    EXPECT_EQ(jobs::test::code_of([&] { node.priority(Priority::kHigh); }),
              jobs::ErrorCode::kBadArgument);
  });
}

}  // namespace
