// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskGraph: which nodes run, in which order and how often; the behaviour after an exception, in a
// wait and after a stop request.
#include "jobs/task_graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "jobs/fiber.hpp"
#include "jobs/fork_join.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/task_graph_run.hpp"
#include "tests/support/allocation_count.hpp"
#include "tests/support/error_code.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::TaskGraph;
using jobs::test::error_of;
using testing::HasSubstr;

class TaskGraphTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(TaskGraphTest);

// Nodes that check without atomics that their predecessors have run in this round: the edges order
// all accesses.
class CheckedGraph {
 public:
  explicit CheckedGraph(std::size_t size) : rounds_(size), predecessors_(size) {
    for (std::size_t i = 0; i < size; ++i) nodes_.push_back(graph.node([this, i] { visit(i); }));
  }
  void connect(std::size_t from, std::size_t to) {
    nodes_[from].precede(nodes_[to]);
    predecessors_[to].push_back(from);
  }
  // Runs the graph, and expects that each node has run once.
  void run() {
    ++round_;
    graph.run();
    EXPECT_EQ(std::count(rounds_.begin(), rounds_.end(), round_),
              static_cast<std::ptrdiff_t>(rounds_.size()));
    EXPECT_EQ(mistakes_, 0);
  }

  TaskGraph graph;

 private:
  void visit(std::size_t i) {
    if (rounds_[i] != round_ - 1) ++mistakes_;
    for (const std::size_t before : predecessors_[i]) {
      if (rounds_[before] != round_) ++mistakes_;
    }
    ++rounds_[i];
  }

  std::vector<TaskGraph::Node> nodes_;
  std::vector<int> rounds_;
  std::vector<std::vector<std::size_t>> predecessors_;
  int round_ = 0;
  std::atomic<int> mistakes_{0};
};

TEST_P(TaskGraphTest, RunsAnEmptyGraph) {
  run([] {
    TaskGraph graph;
    graph.run();
    graph.run();
    EXPECT_EQ(graph.size(), 0u);
  });
}

TEST_P(TaskGraphTest, RunsChains) {
  run([] {
    CheckedGraph graph(1000);
    for (std::size_t i = 1; i < 1000; ++i) graph.connect(i - 1, i);
    for (int round = 0; round < 3; ++round) graph.run();
  });
}

TEST_P(TaskGraphTest, RunsFans) {
  run([] {
    CheckedGraph graph(1002);
    for (std::size_t i = 1; i <= 1000; ++i) {
      graph.connect(0, i);
      graph.connect(i, 1001);
    }
    for (int round = 0; round < 3; ++round) graph.run();
  });
}

TEST_P(TaskGraphTest, RunsNodesWithoutEdges) {
  run([] {
    CheckedGraph graph(500);
    for (int round = 0; round < 3; ++round) graph.run();
  });
}

TEST_P(TaskGraphTest, RunsWavefronts) {
  run([] {
    constexpr std::size_t kSide = 40;
    CheckedGraph graph(kSide * kSide);
    for (std::size_t i = 0; i < kSide * kSide; ++i) {
      if (i % kSide != kSide - 1) graph.connect(i, i + 1);
      if (i / kSide != kSide - 1) graph.connect(i, i + kSide);
    }
    for (int round = 0; round < 3; ++round) graph.run();
  });
}

TEST_P(TaskGraphTest, RunsRandomGraphs) {
  run([] {
    std::mt19937_64 random(jobs::test::seed());
    for (int repeat = 0; repeat < 10; ++repeat) {
      const std::size_t size = 1 + random() % 600;
      CheckedGraph graph(size);
      for (std::size_t i = 1; i < size; ++i) {
        // May contain duplicates.
        for (std::size_t k = random() % 4; k > 0; --k) graph.connect(random() % i, i);
      }
      for (int round = 0; round < 3; ++round) graph.run();
    }
    EXPECT_FALSE(HasFailure()) << jobs::test::replay();
  });
}

TEST_P(TaskGraphTest, ANodeMayWaitForOneThatIsReady) {
  run([] {
    TaskGraph graph;
    jobs::Event events[4];
    // All ready nodes can run, whichever node runs first, also on few workers.
    for (int i = 0; i < 4; ++i) {
      graph.node([&events, i] {
        events[i].signal();
        for (jobs::Event& event : events) event.wait();
      });
    }
    const TaskGraph::Node first = graph.node([] {});
    for (int i = 0; i < 3; ++i) first.precede(graph.node([&events] { events[0].wait(); }));
    graph.run();
  });
}

TEST_P(TaskGraphTest, ANodeMaySpawnForkAndLoop) {
  run([] {
    TaskGraph graph;
    int sum = 0;
    std::atomic<int> spawned{0};
    const auto spawning = graph.node([&] {
      jobs::Counter done;
      for (int i = 0; i < 10; ++i) jobs::spawn(done, [&] { ++spawned; });
      done.wait();
    });
    const auto forking = graph.node([&] {
      const auto [a, b] = jobs::fork_join([] { return 1; }, [] { return 2; });
      sum += a + b;
    });
    spawning.precede(forking);
    graph.run();
    EXPECT_EQ(spawned, 10);
    EXPECT_EQ(sum, 3);
  });
}

TEST_P(TaskGraphTest, PassesResultsOn) {
  run([] {
    TaskGraph graph;
    int input = 0;
    auto text = graph.node([&] { return std::to_string(++input); }, "text");
    auto twice = graph.node([](const std::string& s) { return s + s; }, "twice", text);
    auto unique = graph.node([](const std::string& s) { return std::make_unique<std::string>(s); },
                             "unique", twice);
    std::string seen;
    graph.node(
        [&](const std::string& a, const std::unique_ptr<std::string>& b) { seen = a + "|" + *b; },
        "seen", text, unique);
    EXPECT_THROW(static_cast<void>(graph.get(text)), jobs::Error) << "it has not run";
    graph.run();
    EXPECT_EQ(seen, "1|11");
    graph.run();
    EXPECT_EQ(seen, "2|22");
    EXPECT_EQ(graph.get(twice), "22");
  });
}

// An int is a value like any other. Only condition() makes a node choose its successor.
TEST_P(TaskGraphTest, AnIntIsAResult) {
  run([] {
    TaskGraph graph;
    std::array<bool, 3> ran{};
    const auto number = graph.node([] { return 1; }, "number");
    static_assert(std::is_same_v<decltype(number), const TaskGraph::Result<int>>);
    const auto twice = graph.node([](int value) { return 2 * value; }, "twice", number);
    for (bool& one : ran) number.precede(graph.node([&one] { one = true; }));
    const auto choice = graph.condition([](int value) { return value; }, "choice", twice);
    std::string path;
    for (const char letter : {'a', 'b', 'c', 'd'})
      choice.precede(graph.node([&path, letter] { path += letter; }));
    for (int round = 0; round < 2; ++round) {
      ran = {};
      path.clear();
      graph.run();
      EXPECT_THAT(ran, testing::Each(true));
      EXPECT_EQ(graph.get(number), 1);
      EXPECT_EQ(graph.get(twice), 2);
      EXPECT_EQ(path, "c");
    }
  });
}

TEST_P(TaskGraphTest, ConditionsChooseBranches) {
  run([] {
    TaskGraph graph;
    int choice = 0;
    std::string path;
    const auto decide = graph.condition([&] { return choice; });
    const auto left = graph.node([&] { path += 'l'; });
    const auto right = graph.node([&] { path += 'r'; });
    const auto join = graph.node([&] { path += 'j'; });
    const auto after = graph.node([&] { path += 'a'; });
    decide.precede(left, right);
    left.precede(after);
    right.precede(after, join);
    for (const auto& [chosen, expected] : std::vector<std::pair<int, std::vector<std::string>>>{
             {0, {"l"}}, {1, {"rj"}}, {2, {""}}, {-1, {""}}, {0, {"l"}}}) {
      choice = chosen;
      path.clear();
      graph.run();
      EXPECT_THAT(expected, testing::Contains(path)) << chosen;
    }
  });
}

TEST_P(TaskGraphTest, ConditionsLoop) {
  run([] {
    TaskGraph graph;
    int i = 0;
    int bodies = 0;
    int wide = 0;
    const auto start = graph.node([&] { i = 0; });
    const auto body = graph.node([&] { ++bodies; });
    const auto done = graph.node([] {});
    const auto again = graph.condition([&] { return ++i < 100 ? 0 : 1; });
    start.precede(body);
    again.precede(body, done);
    // Each turn is a fan with a join; the counts must be right in each turn.
    std::atomic<int> leaves{0};
    const auto collect = graph.node([&] { wide += leaves.exchange(0); });
    for (int k = 0; k < 8; ++k) {
      const auto leaf = graph.node([&] { ++leaves; });
      body.precede(leaf);
      leaf.precede(collect);
    }
    collect.precede(again);
    for (int round = 1; round <= 3; ++round) {
      graph.run();
      EXPECT_EQ(bodies, 100 * round);
      EXPECT_EQ(wide, 800 * round);
    }
  });
}

TEST_P(TaskGraphTest, AChosenNodeForgetsWhichNodesHaveEnded) {
  run([] {
    TaskGraph graph;
    jobs::Event joined;
    std::atomic<int> joins{0};
    const auto first = graph.node([] {});
    const auto decide = graph.condition([] { return 0; });
    const auto last = graph.node([&] { joined.wait(); });
    const auto join = graph.node([&] {
      ++joins;
      joined.signal();
    });
    first.precede(decide, join);
    decide.precede(join);
    last.precede(join);
    graph.run();
    EXPECT_EQ(joins, 1) << "the end of `first` counts no longer when `last` ends";
  });
}

// `node` is ready, but another node has the permit that it needs. Meanwhile one of its predecessors
// runs again: this arrival counts for the next time that `node` runs.
TEST_P(TaskGraphTest, APredecessorMayRunAgainBeforeItsSuccessorBegins) {
  run([] {
    TaskGraph graph;
    TaskGraph::Limit limit(1);
    jobs::Event has_permit, may_end;
    std::array<jobs::Event, 2> has_run;
    std::size_t turn = 0, runs = 0;
    int reports = 0;
    const auto holder = graph.node([&] {
      has_permit.signal();
      may_end.wait();
    });
    const auto start = graph.node([] {});
    const auto begin = graph.node([&] { has_permit.wait(); });
    const auto first = graph.node([] {});
    const auto second = graph.node([] {});
    const auto node = graph.node([&] { ++runs; });
    // A node that signals has not ended yet, so each of the two runs once.
    const auto report = graph.condition([&] { return reports < 2 ? reports++ : -1; });
    const auto first_report = graph.node([&] { has_run[0].signal(); });
    const auto second_report = graph.node([&] { has_run[1].signal(); });
    const auto again = graph.condition([&] {
      switch (++turn) {
        case 1:
          return 0;  // `second` arrives before the node begins
        case 2:
          may_end.signal();
          has_run[0].wait();
          return 1;  // `first` makes the node ready; `second` arrives once more
        case 3:
          has_run[1].wait();
          return 0;  // `second` makes the node ready
        default:
          return -1;
      }
    });
    holder.limit(limit);
    node.limit(limit);
    start.precede(holder, begin);
    begin.precede(first);
    first.precede(second, node);
    second.precede(node, again);
    node.precede(report);
    report.precede(first_report, second_report);
    again.precede(second, first);
    graph.run();
    EXPECT_EQ(turn, 4u);
    EXPECT_EQ(runs, 3u);
  });
}

TEST_P(TaskGraphTest, AConditionMayChooseItself) {
  run([] {
    TaskGraph graph;
    int i = 0;
    const auto start = graph.node([] {});
    const auto again = graph.condition([&] { return ++i == 1000 ? 1 : 0; });
    start.precede(again);
    again.precede(again);
    graph.run();
    EXPECT_EQ(i, 1000);
  });
}

TEST_P(TaskGraphTest, RunsSubGraphs) {
  run([] {
    TaskGraph outer;
    int inner_runs = 0;
    bool last_seen = false;
    TaskGraph sub;
    const auto one = sub.node([&] { ++inner_runs; });
    const auto leaf = sub.node([&] { last_seen = true; });
    one.precede(leaf);
    const auto before = outer.node([&] { last_seen = false; });
    const auto module = outer.node(sub, "sub");
    const auto again = outer.node(sub, "sub again");
    const auto after = outer.node([&] { EXPECT_TRUE(last_seen); });
    before.precede(module);
    module.precede(again);
    again.precede(after);
    outer.run();
    outer.run();
    EXPECT_EQ(inner_runs, 4);
  });
}

TEST_P(TaskGraphTest, LimitsHowManyNodesRunAtATime) {
  run([] {
    for (const int most : {1, 3}) {
      TaskGraph::Limit limit(static_cast<std::size_t>(most));
      TaskGraph graph;
      std::atomic<int> running{0};
      std::atomic<int> highest{0};
      std::atomic<int> ran{0};
      const auto first = graph.node([] {});
      const auto last = graph.node([&] { EXPECT_EQ(ran, 100); });
      for (int i = 0; i < 100; ++i) {
        const auto node = graph.node([&] {
          const int now = ++running;
          int seen = highest;
          while (seen < now && !highest.compare_exchange_weak(seen, now)) {
          }
          jobs::yield();  // lets another node start, if allowed
          --running;
          ++ran;
        });
        node.limit(limit);
        first.precede(node);
        node.precede(last);
      }
      graph.run();
      EXPECT_EQ(ran, 100);
      EXPECT_LE(highest, most);
      ran = 0;
      graph.run();
      EXPECT_EQ(ran, 100);
    }
  });
}

TEST_P(TaskGraphTest, ThrowsTheFirstExceptionAndLeavesTheRestOut) {
  run([] {
    TaskGraph graph;
    bool fails = true;
    int after_ran = 0;
    const auto failing = graph.node([&] {
      if (fails) throw std::runtime_error("node");
    });
    const auto after = graph.node([&] { ++after_ran; });
    failing.precede(after);
    for (int i = 0; i < 20; ++i) after.precede(graph.node([&] { EXPECT_FALSE(fails); }));
    for (int round = 0; round < 3; ++round) {
      fails = true;
      after_ran = 0;
      EXPECT_THROW(graph.run(), std::runtime_error);
      EXPECT_EQ(after_ran, 0);
      fails = false;
      graph.run();
      EXPECT_EQ(after_ran, 1) << "a failure leaves nothing behind";
    }
  });
}

TEST_P(TaskGraphTest, AFailureEndsALoop) {
  run([] {
    TaskGraph graph;
    int turns = 0;
    const auto start = graph.node([] {});
    const auto again = graph.condition([&] {
      if (++turns == 10) throw std::runtime_error("enough");
      return 0;
    });
    start.precede(again);
    again.precede(again);
    EXPECT_THROW(graph.run(), std::runtime_error);
    EXPECT_EQ(turns, 10);
    turns = 0;
    EXPECT_THROW(graph.run(), std::runtime_error);
  });
}

TEST_P(TaskGraphTest, AFailureOfASubGraphIsThatOfItsNode) {
  run([] {
    TaskGraph inner;
    inner.node([] { throw std::runtime_error("inner"); });
    TaskGraph outer;
    outer.node(inner).precede(outer.node([] { ADD_FAILURE(); }));
    EXPECT_THROW(outer.run(), std::runtime_error);
  });
}

TEST_P(TaskGraphTest, StopsOnRequest) {
  run([] {
    TaskGraph graph;
    std::stop_source stop;
    bool stops = true;
    int after = 0;
    const auto node = graph.node([&] {
      if (stops) stop.request_stop();
    });
    node.precede(graph.node([&] { ++after; }));
    EXPECT_THROW(graph.run(stop.get_token()), jobs::Cancelled);
    EXPECT_EQ(after, 0);
    EXPECT_THROW(graph.run(stop.get_token()), jobs::Cancelled) << "requested before it starts";
    stop = std::stop_source();
    stops = false;
    graph.run(stop.get_token());
    EXPECT_EQ(after, 1);
    TaskGraph last;
    last.node([&] { stop.request_stop(); });
    last.run(stop.get_token());  // all nodes have run: the stop cut nothing short
  });
}

TEST_P(TaskGraphTest, AStopReachesSubGraphsAndEndsLoops) {
  run([] {
    std::stop_source stop;
    TaskGraph inner;
    std::atomic<int> turns{0};
    const auto start = inner.node([] {});
    const auto again = inner.condition([&] {
      if (++turns == 5) stop.request_stop();
      return 0;
    });
    start.precede(again);
    again.precede(again);
    TaskGraph outer;
    outer.node(inner);
    EXPECT_THROW(outer.run(stop.get_token()), jobs::Cancelled);
    EXPECT_EQ(turns, 5);
  });
}

TEST_P(TaskGraphTest, SeveralRunsAreUnderWayAtATime) {
  run([] {
    TaskGraph graph;
    std::atomic<int> number{0};
    jobs::Event all_started;
    auto own = graph.node([&] {
      const int mine = ++number;
      if (mine == 3) all_started.signal();
      all_started.wait();  // all three are under way by then
      return std::to_string(mine);
    });
    auto copy = graph.node([](const std::string& text) { return text; }, "copy", own);
    TaskGraph::Run runs[3] = {TaskGraph::Run(graph), TaskGraph::Run(graph), TaskGraph::Run(graph)};
    for (auto& one : runs) one.start();
    int sum = 0;
    for (auto& one : runs) {
      one.wait();
      EXPECT_TRUE(one.is_done());
      EXPECT_EQ(one.get(copy), one.get(own));
      sum += std::stoi(one.get(copy));
    }
    EXPECT_EQ(sum, 6);
  });
}

TEST_P(TaskGraphTest, ARunIsWaitedForForALimitedTime) {
  run([&] {
    jobs::Event go;
    TaskGraph graph;
    std::atomic<int> ran{0};
    const auto first = graph.node([&] { go.wait(); });
    first.precede(graph.node([&] { ++ran; }));
    std::stop_source stopped;
    stopped.request_stop();
    TaskGraph::Run own(graph);
    for (int round = 0; round < 2; ++round) {
      go.reset();
      own.start();
      EXPECT_FALSE(own.wait_for(std::chrono::milliseconds(1)));
      EXPECT_FALSE(own.wait_for(std::chrono::milliseconds(0)));
      EXPECT_FALSE(own.wait_until(std::chrono::system_clock::now() - std::chrono::hours(1)));
      EXPECT_FALSE(own.wait(stopped.get_token()));
      EXPECT_FALSE(own.wait_for(std::chrono::hours(1), stopped.get_token()));
      EXPECT_FALSE(own.wait_until(std::chrono::steady_clock::now() + std::chrono::hours(1),
                                  stopped.get_token()));
      EXPECT_FALSE(own.is_done());
      EXPECT_EQ(ran, round) << "the run goes on, and nothing was left out";
      go.signal();
      if (round == 0) {
        EXPECT_TRUE(own.wait_for(std::chrono::hours(1)));
      } else {
        own.wait();
      }
      EXPECT_EQ(ran, round + 1);
    }
  });
}

TEST_P(TaskGraphTest, ALimitedWaitThrowsAsTheRunDoes) {
  run([&] {
    TaskGraph graph;
    graph.node([] { throw std::runtime_error("it fails"); });
    TaskGraph::Run own(graph);
    own.start();
    EXPECT_THROW(static_cast<void>(own.wait_for(std::chrono::hours(1))), std::runtime_error);
    own.start();  // the run has ended
    EXPECT_THROW(static_cast<void>(own.wait(std::stop_token())), std::runtime_error);
    jobs::Event begun;
    jobs::Event go;
    TaskGraph slow;
    slow.node([&] {
      begun.signal();
      go.wait();
    });
    TaskGraph::Run cut(slow);
    cut.start();
    jobs::Fiber<> waiter([&] { static_cast<void>(cut.wait_for(std::chrono::hours(1))); });
    begun.wait();
    const auto until_it_waits = [&] {
      while (waiter.state() != jobs::FiberState::kWaiting &&
             waiter.state() != jobs::FiberState::kDead)
        jobs::this_fiber::sleep_for(std::chrono::milliseconds(1));
    };
    until_it_waits();
    const std::uint64_t switches = waiter.info().switches;
    waiter.request_stop();
    while (waiter.info().switches == switches)
      jobs::this_fiber::sleep_for(std::chrono::milliseconds(1));
    until_it_waits();  // again, or it is dead
    EXPECT_FALSE(cut.is_done());
    EXPECT_NE(waiter.state(), jobs::FiberState::kDead)
        << "an interrupted wait still waits for the nodes";
    go.signal();
    EXPECT_THROW(waiter.join(), jobs::Cancelled);
    EXPECT_TRUE(cut.is_done());
  });
}

TEST_P(TaskGraphTest, ARunThatIsDroppedIsWaitedFor) {
  run([] {
    TaskGraph graph;
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) graph.node([&] { ++ran; });
    {
      TaskGraph::Run dropped(graph);
      dropped.start();
    }
    EXPECT_EQ(ran, 100);
  });
}

TEST_P(TaskGraphTest, IsRunAgainAndAgainInAStorm) {
  run([] {
    constexpr int kRounds = jobs::test::kSanitized ? 300 : 2000;
    TaskGraph graph;
    std::atomic<int> ran{0};
    const auto first = graph.node([&] { ++ran; });
    const auto last = graph.node([&] { ++ran; });
    for (int i = 0; i < 6; ++i) {
      const auto middle = graph.node([&] { ++ran; });
      first.precede(middle);
      middle.precede(last);
    }
    for (int i = 0; i < kRounds; ++i) {
      TaskGraph::Run one(graph);  // its memory is freed at once
      one.run();
    }
    EXPECT_EQ(ran, 8 * kRounds);
  });
}

TEST_P(TaskGraphTest, FollowsPriorityAndThenTheLongestWay) {
  run([serial = is_serial()] {
    TaskGraph graph;
    std::string order;
    TaskGraph::Limit one(1);  // one node at a time, on any number of workers
    const auto first = graph.node([] {});
    const auto add = [&](char name) {
      const auto node = graph.node([&order, name] { order += name; });
      node.limit(one);
      return node;
    };
    const auto plain = add('p'), longer = add('l'), heavy = add('h'), urgent = add('u'),
               late = add('z');
    longer.precede(graph.node([] {}));
    heavy.weight(100);
    urgent.priority(1);
    late.priority(-1);
    first.precede(plain, late, longer, heavy, urgent);
    graph.run();
    EXPECT_EQ(order.size(), 5u);
    if (serial) {
      EXPECT_EQ(order, "uhlpz");
    }
  });
}

// Here each node has two predecessors. The second one to end makes all of them ready.
TEST_P(TaskGraphTest, FollowsPriorityAmongNodesThatWaitedForSeveral) {
  run([serial = is_serial()] {
    TaskGraph graph;
    std::string order;
    TaskGraph::Limit one(1);
    const auto first = graph.node([] {}), second = graph.node([] {});
    for (const auto& [name, priority] :
         {std::pair('c', 0), std::pair('a', 2), std::pair('d', -1), std::pair('b', 1)}) {
      const auto node = graph.node([&order, letter = name] { order += letter; });
      node.limit(one);
      node.priority(priority);
      node.succeed(first, second);
    }
    const auto alone = graph.node([&order] { order += 'e'; });
    alone.limit(one);
    alone.priority(-2);
    second.precede(alone);
    first.precede(second);
    graph.run();
    EXPECT_EQ(order.size(), 5u);
    if (serial) {
      EXPECT_EQ(order, "abcde");
    }
  });
}

// --- places -------------------------------------------------------------------------------------

// Layers of nodes that depend on some nodes of the previous layer. Each node runs on a worker of
// its own choice, or on any worker.
TEST_P(TaskGraphTest, RunsNodesWhereTheyBelong) {
  run([] {
    const unsigned workers = jobs::worker_count();
    for (unsigned sources = 1; sources <= 4; ++sources) {
      TaskGraph graph;
      std::vector<TaskGraph::Node> before;
      std::vector<std::unique_ptr<int>> rounds;
      std::atomic<int> astray{0};
      TaskGraph::Limit limit(2);
      for (unsigned layer = 0; layer < 12; ++layer) {
        std::vector<TaskGraph::Node> here;
        for (unsigned i = 0; i < (layer == 0 ? sources : 8); ++i) {
          int& runs = *rounds.emplace_back(std::make_unique<int>(0));
          const unsigned choice = (layer * 5 + i * 3) % (workers + 2);
          const bool is_placed = choice < workers;
          const auto node = graph.node([&astray, &runs, choice, is_placed] {
            ++runs;
            if (is_placed && jobs::worker_index() != std::optional(choice)) ++astray;
          });
          if (is_placed) node.on(jobs::worker(choice));
          if (choice == workers) node.on(jobs::not_main_thread);
          if (i % 4 == 3) node.limit(limit);
          for (std::size_t k = 0; k < before.size(); ++k) {
            if (i == 0 || k % 3 == i % 3) before[k].precede(node);
          }
          here.push_back(node);
        }
        before = std::move(here);
      }
      for (int round = 1; round <= 30; ++round) {
        graph.run();
        ASSERT_EQ(astray, 0);
        for (const auto& runs : rounds) ASSERT_EQ(*runs, round);
      }
    }
  });
}

TEST_P(TaskGraphTest, RunsAGraphOfWhichAllNodesHaveAPlace) {
  run([] {
    TaskGraph graph;
    std::atomic<int> ran{0};
    const unsigned last = jobs::worker_count() - 1;
    for (int i = 0; i < 20; ++i) {
      const auto first = graph.node([&ran] { ++ran; }).on(jobs::worker(last));
      graph.node([&ran] { ++ran; }).on(jobs::worker(0)).succeed(first);
    }
    for (int round = 1; round <= 20; ++round) {
      graph.run();
      EXPECT_EQ(ran, 40 * round);
    }
  });
}

TEST_P(TaskGraphTest, ConditionsChooseNodesWithAPlace) {
  run([] {
    TaskGraph graph;
    const unsigned workers = jobs::worker_count();
    unsigned turns = 0;
    std::atomic<int> astray{0};
    const auto begin = graph.node([] {}).on(jobs::worker(workers - 1));
    const auto body = graph
                          .node([&] {
                            ++turns;
                            astray += jobs::worker_index() != std::optional(0u) ? 1 : 0;
                          })
                          .on(jobs::worker(0));
    const auto again = graph
                           .condition([&] {
                             astray += jobs::worker_index() != std::optional(workers - 1) ? 1 : 0;
                             return turns % 10 != 0 ? 0 : 1;
                           })
                           .on(jobs::worker(workers - 1));
    const auto end = graph.node([] {});
    begin.precede(body);
    body.precede(again);
    again.precede(body, end);
    for (unsigned round = 1; round <= 10; ++round) {
      graph.run();
      EXPECT_EQ(turns, 10 * round);
    }
    EXPECT_EQ(astray, 0);
  });
}

TEST_P(TaskGraphTest, RefusesPlacesThatTheSchedulerDoesNotHave) {
  run([] {
    TaskGraph graph;
    bool ran = false;
    graph.node([&ran] { ran = true; });
    graph.node([] {}).on(jobs::worker(jobs::worker_count()));
    TaskGraph outer;
    outer.node(graph);
    for (TaskGraph* const refused : {&graph, &outer}) {
      try {
        refused->run();
        ADD_FAILURE() << "expected an Error";
      } catch (const jobs::Error& error) {
        EXPECT_EQ(error.code(), jobs::ErrorCode::kBadArgument);
      }
    }
    EXPECT_FALSE(ran) << "nothing has begun";
  });
}

TEST_P(TaskGraphTest, AFailureEndsAGraphWithPlaces) {
  run([] {
    TaskGraph graph;
    const unsigned last = jobs::worker_count() - 1;
    std::atomic<int> late{0};
    const auto fails = graph.node([] { throw std::runtime_error("here"); }).on(jobs::worker(last));
    for (unsigned i = 0; i <= last; ++i)
      graph.node([&late] { ++late; }).on(jobs::worker(i)).succeed(fails);
    for (int round = 0; round < 20; ++round) EXPECT_THROW(graph.run(), std::runtime_error);
    EXPECT_EQ(late, 0);
  });
}

TEST(TaskGraphPlaces, RunsNodesOnTheBoundThreadAndOffIt) {
  for (const unsigned workers : {1u, 2u, 4u, 16u}) {
    const jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
    const auto main = std::this_thread::get_id();
    TaskGraph frame;
    int drawn = 0;
    std::atomic<int> astray{0};
    std::optional<TaskGraph::Node> before;
    for (int i = 0; i < 20; ++i) {
      const auto bake = frame.node(
          [&] { astray += (std::this_thread::get_id() == main) == (workers > 1) ? 1 : 0; });
      const auto draw = frame.node([&] {
        astray += std::this_thread::get_id() != main ? 1 : 0;
        ++drawn;
      });
      bake.on(jobs::not_main_thread).precede(draw);
      draw.on(jobs::main_thread);
      if (before && i % 2 == 0) before->precede(bake);
      before = draw;
    }
    for (int round = 1; round <= 50; ++round) {
      frame.run();
      ASSERT_EQ(drawn, 20 * round);
    }
    EXPECT_EQ(astray, 0);
  }
}

TEST(TaskGraphChecks, NamesTheNodesOfACycle) {
  TaskGraph graph;
  const auto a = graph.node([] {}, "a"), b = graph.node([] {}, "b"), c = graph.node([] {}, "c");
  const auto start = graph.node([] {}, "start"), behind = graph.node([] {}, "behind");
  start.precede(a);
  a.precede(b);
  b.precede(c);
  c.precede(a, behind);
  const std::string message = error_of([&] { graph.run(); });
  EXPECT_THAT(message, testing::AnyOf(HasSubstr("a -> b -> c -> a"), HasSubstr("b -> c -> a -> b"),
                                      HasSubstr("c -> a -> b -> c")));
  EXPECT_THAT(message, testing::Not(HasSubstr("behind")));
}

TEST(TaskGraphChecks, EscapesNames) {
  TaskGraph graph;
  const auto node = graph.node([] {}, "\x1b[2J\n\"\xff\t");
  std::ostringstream dot;
  graph.dump_dot(dot);
  // Graphviz reads \n as a line break, and shows a doubled backslash.
  EXPECT_THAT(dot.str(), HasSubstr(R"(n0 [label="\\x1b[2J\n\"\\xff\\t"])"));
  node.precede(node);
  EXPECT_THAT(error_of([&] { graph.freeze(); }),
              HasSubstr(R"(a cycle: \x1b[2J\n\"\xff\t -> \x1b[2J\n\"\xff\t)"));
}

TEST(TaskGraphChecks, NamesANodeThatIsItsOwnSuccessor) {
  TaskGraph graph;
  const auto node = graph.node([] {});
  node.precede(node);
  EXPECT_THAT(error_of([&] { graph.freeze(); }), HasSubstr("node 0 -> node 0"));
}

TEST(TaskGraphChecks, SaysThatNoNodeCanStart) {
  TaskGraph graph;
  const auto again = graph.condition([] { return 0; }, "again");
  again.precede(again);
  EXPECT_THAT(error_of([&] { graph.freeze(); }), HasSubstr("no node can start"));
}

TEST(TaskGraphChecks, AGraphCannotBePartOfItself) {
  TaskGraph a;
  TaskGraph b;
  a.node(b);
  b.node(a);
  EXPECT_THAT(error_of([&] { a.freeze(); }), HasSubstr("part of itself"));
}

TEST(TaskGraphChecks, RefusesChangesOnceFrozen) {
  TaskGraph graph;
  const auto node = graph.node([] {});
  graph.freeze();
  graph.freeze();
  EXPECT_THAT(error_of([&] { graph.node([] {}); }), HasSubstr("frozen"));
  EXPECT_THAT(error_of([&] { node.priority(1); }), HasSubstr("frozen"));
  EXPECT_THAT(error_of([&] { node.precede(node); }), HasSubstr("frozen"));
}

TEST(TaskGraphChecks, RefusesNodesOfOtherGraphs) {
  TaskGraph graph;
  TaskGraph other;
  auto theirs = other.node([] { return 1.0; });
  EXPECT_THAT(error_of([&] { graph.node([] {}).precede(theirs); }), HasSubstr("another graph"));
  EXPECT_THAT(error_of([&] { graph.node([](double) {}, "reader", theirs); }),
              HasSubstr("another graph"));
  EXPECT_THAT(error_of([] { TaskGraph::Limit nobody(0); }), HasSubstr("0"));
}

TEST(TaskGraphChecks, DumpsWhatItMeasured) {
  jobs::Scheduler scheduler({.worker_count = 1});
  TaskGraph graph;
  TaskGraph sub;
  sub.node([] {});
  const auto load =
      graph.node([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }, "load \"x\"");
  const auto decide = graph.condition([] { return 1; }, "decide");
  const auto no = graph.node([] {}, "no"), yes = graph.node(sub, "yes");
  load.precede(decide);
  decide.precede(no, yes);
  graph.measure();
  std::ostringstream before;
  graph.dump_dot(before);
  EXPECT_THAT(before.str(), testing::Not(HasSubstr("us")));
  scheduler.run([&] { graph.run(); });
  std::ostringstream dot;
  graph.dump_dot(dot);
  EXPECT_THAT(dot.str(), testing::StartsWith("digraph {\n"));
  EXPECT_THAT(dot.str(),
              testing::ContainsRegex(
                  "n0 \\[label=\"load ..x..\\\\n[0-9.]+ us\\\\nat 0 us on worker 0\"\\]"));
  EXPECT_THAT(dot.str(), HasSubstr("n1 -> n3 [style=dashed label=1]"));
  EXPECT_THAT(dot.str(), HasSubstr("shape=diamond"));
  EXPECT_THAT(dot.str(), HasSubstr("n2 [label=\"no\"]")) << "did not run";
  EXPECT_THAT(dot.str(), HasSubstr("shape=box3d"));
}

TEST(TaskGraphChecks, ManyThreadsRunTheirOwnRuns) {
  TaskGraph graph;
  std::atomic<int> ran{0};
  const auto first = graph.node([&] { ++ran; });
  for (int i = 0; i < 10; ++i) first.precede(graph.node([&] { ++ran; }));
  graph.freeze();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      TaskGraph::Run own(graph);
      for (int k = 0; k < 50; ++k) own.run();
    });
  }
  threads.clear();
  EXPECT_EQ(ran, 4 * 50 * 11);
}

// A start that fails leaves its stop token nothing to stop, and later runs nothing to wait for.
TEST(TaskGraphStart, ThatIsRefusedLeavesNoTrace) {
  for (const bool has_condition : {false, true}) {
    TaskGraph graph;
    jobs::Event go;
    graph.node([&] { go.wait(); });
    if (has_condition) graph.condition([] { return 0; });
    TaskGraph::Run run(graph);
    std::stop_source source;
    {
      jobs::Scheduler stopped({.worker_count = 1});
      const jobs::SchedulerScope scope(stopped);
      stopped.shutdown();
      EXPECT_THROW(run.start(source.get_token()), jobs::Error);
    }
    jobs::Scheduler scheduler({.worker_count = 1});
    const jobs::SchedulerScope scope(scheduler);
    run.start();
    source.request_stop();
    go.signal();
    EXPECT_NO_THROW(run.wait());
  }
}

// --- misuse -------------------------------------------------------------------------------------

struct TaskGraphDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(TaskGraphDeathTest, StartedWhileItRuns) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        TaskGraph graph;
        graph.node([&] { graph.run(); });
        scheduler.run([&] { graph.run(); });
      },
      "started while it runs");
}

TEST_F(TaskGraphDeathTest, WaitedForWithoutAStart) {
  EXPECT_DEATH(
      {
        TaskGraph graph;
        TaskGraph::Run(graph).wait();
      },
      "waited for without a start");
}

TEST_F(TaskGraphDeathTest, ChosenTwiceAtATime) {
  EXPECT_DEATH(
      {
        jobs::Scheduler scheduler({.worker_count = 1});
        TaskGraph graph;
        jobs::Event never;
        const auto start = graph.node([] {});
        const auto target = graph.node([&] { never.wait(); }, "target");
        for (int i = 0; i < 2; ++i) {
          const auto choice = graph.condition([] { return 0; });
          start.precede(choice);
          choice.precede(target);
        }
        scheduler.run([&] { graph.run(); });
      },
      "target is to run while it runs");
}

TEST(TaskGraphLimit, RunsNoNodeIfThereIsNoStackToWaitOn) {
  jobs::Scheduler scheduler({.worker_count = 1, .max_fibers = 8});
  scheduler.run([] {
    constexpr std::size_t kGraphs = 20;
    jobs::Event open;
    jobs::Counter done;
    std::vector<int> runs(kGraphs);
    std::vector<int> refused(kGraphs);
    for (std::size_t i = 0; i < kGraphs; ++i) {
      jobs::spawn(done, [&, i] {
        jobs::TaskGraph graph;
        graph.node([&, i] {
          ++runs[i];
          try {
            open.wait();
          } catch (const jobs::Error&) {
          }
        });
        try {
          graph.run();
        } catch (const jobs::Error& error) {
          EXPECT_EQ(error.code(), jobs::ErrorCode::kNoStack);
          ++refused[i];
        }
      });
    }
    for (int i = 0; i < 40; ++i) jobs::yield();  // by then every candidate has been tried
    open.signal();
    done.wait();
    EXPECT_GE(std::count(refused.begin(), refused.end(), 1), 1);
    for (std::size_t i = 0; i < kGraphs; ++i) EXPECT_EQ(runs[i] + refused[i], 1) << i;
  });
}

}  // namespace
