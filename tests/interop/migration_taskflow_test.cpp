// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of docs/from-taskflow.md, the column of jobs: scripts/check-readme searches this file
// for them.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <iostream>
#include <optional>
#include <sstream>
#include <stop_token>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

constexpr int n = 1000;

TEST(FromTaskflow, Graphs) {
  std::string log;
  std::ostringstream out;
  jobs::TaskGraph graph;
  auto a = graph.node([&] { log += "a"; }, "a");
  auto b = graph.node([&] { log += "b"; }, "b");
  auto c = graph.node([&] { log += "c"; }, "c");
  a.precede(b);
  c.succeed(a, b);
  c.priority(1);
  c.on(jobs::worker(0));
  graph.run();
  EXPECT_EQ(log, "abc");
  for (int i = 0; i < 10; ++i) graph.run();
  EXPECT_EQ(log.size(), 33u);
  graph.dump_dot(out);
  EXPECT_NE(out.str().find("digraph"), std::string::npos);

  jobs::TaskGraph::Run run(graph);
  run.start();
  run.wait();
  EXPECT_EQ(log.size(), 36u);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(graph.run(stop.get_token()), jobs::Cancelled);
  EXPECT_EQ(log.size(), 36u);
}

TEST(FromTaskflow, Composition) {
  int calls = 0;
  jobs::TaskGraph inner;
  inner.node([&] { ++calls; });
  jobs::TaskGraph outer;
  const auto before = outer.node([&] { ++calls; });
  const auto module = outer.node(inner, "inner");
  before.precede(module);
  outer.run();
  EXPECT_EQ(calls, 2);
}

TEST(FromTaskflow, ConditionsAndLimits) {
  int i = 0;
  jobs::TaskGraph loop;
  const auto init = loop.node([&] { i = 0; });
  const auto body = loop.node([&] { ++i; });
  const auto again = loop.condition([&] { return i < 5 ? 0 : 1; });
  const auto end = loop.node([&] { i *= 100; });
  init.precede(body);
  body.precede(again);
  again.precede(body, end);
  loop.run();
  EXPECT_EQ(i, 500);

  std::atomic<int> inside{0};
  jobs::TaskGraph graph;
  jobs::TaskGraph::Limit limit(1);
  for (int k = 0; k < 10; ++k) {
    const auto node = graph.node([&] {
      EXPECT_EQ(++inside, 1);
      --inside;
    });
    node.limit(limit);
  }
  graph.run();
}

TEST(FromTaskflow, TasksWhileTheyRun) {
  std::atomic<int> calls{0};
  const auto f = [&] { ++calls; };
  jobs::TaskGraph graph;
  graph.node([&] {
    jobs::Counter children;
    jobs::spawn(children, f);
    jobs::spawn(children, f);
    children.wait();
    EXPECT_EQ(calls, 2);
  });
  graph.run();

  jobs::spawn(f);
  jobs::Fiber<int> future = jobs::async([&] { return 6; });
  EXPECT_EQ(future.join(), 6);
  const auto [left, right] = jobs::fork_join([] { return 1; }, [] { return 2; });
  EXPECT_EQ(left + right, 3);
  while (calls < 3) jobs::yield();
  // One after the other.
  const jobs::JobHandle first = jobs::spawn_after({}, f);
  const jobs::JobHandle second = jobs::spawn_after(first, f);
  second.wait();
  EXPECT_EQ(calls, 5);
}

TEST(FromTaskflow, Algorithms) {
  std::vector<int> x(n, 2), out(n);
  std::atomic<int> calls{0};
  const auto f = [&](int) { ++calls; };
  const auto square = [](int i) { return i * i; };
  jobs::parallel_for_each(x, f);
  jobs::parallel_for(0, n, 2, f);
  EXPECT_EQ(calls, n + n / 2);
  EXPECT_EQ(jobs::parallel_reduce(x, 0), 2 * n);
  EXPECT_EQ(jobs::parallel_transform_reduce(x, 0, std::plus(), square), 4 * n);
  jobs::parallel_transform(x, out.begin(), square);
  EXPECT_EQ(out[n - 1], 4);
  jobs::parallel_inclusive_scan(x, out.begin());
  EXPECT_EQ(out[n - 1], 2 * n);
  jobs::parallel_sort(out, std::greater());
  EXPECT_EQ(out[0], 2 * n);
  EXPECT_NE(jobs::parallel_find_if(out, [](int i) { return i == 10; }), out.end());
  // In a graph: an algorithm is a call in a node.
  jobs::TaskGraph graph;
  graph.node([&] { jobs::parallel_sort(out); });
  graph.run();
  EXPECT_EQ(out[0], 2);
}

TEST(FromTaskflow, Pipelines) {
  int next = 0;
  std::vector<int> out;
  jobs::pipeline(
      8, [&]() -> std::optional<int> { return next == n ? std::nullopt : std::optional(next++); },
      jobs::parallel([](int i) { return 2 * i; }),
      jobs::in_order([&](int i) { out.push_back(i); }));
  EXPECT_EQ(out.size(), std::size_t{n});
}

TEST(FromTaskflow, Schedulers) {
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::TaskGraph graph;
  int calls = 0;
  graph.node([&] { ++calls; });
  scheduler.run([&] { graph.run(); });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(scheduler.worker_count(), 2u);
  std::atomic<int> ended{0};
  scheduler.run([&] { jobs::spawn([&] { ++ended; }); });
  scheduler.run([&] {
    const auto f = [&] { ended += jobs::worker_index() == std::optional(0u) ? 1 : 0; };
    jobs::spawn(f, {.on = jobs::worker(0)});
  });
  scheduler.shutdown();
  EXPECT_EQ(ended, 2);
  jobs::Semaphore semaphore(1);
  semaphore.acquire();
  semaphore.release();
}

}  // namespace
