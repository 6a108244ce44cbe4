// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// AccessGraph: the edges that follow from the declarations of the nodes, and the reaction to an
// undeclared access.
#include "jobs/access_graph.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/seed.hpp"
#include "tests/support/with_workers.hpp"

namespace {

using jobs::Access;
using jobs::AccessGraph;
using jobs::reads;
using jobs::Resource;
using jobs::writes;

class AccessGraphTest : public jobs::test::WithWorkers {};
JOBS_TEST_IN_ALL_PLACES(AccessGraphTest);

TEST_P(AccessGraphTest, OrdersReadersAndWriters) {
  run([] {
    Resource<int> a("a");
    Resource<int> b("b", 7);
    AccessGraph graph;
    std::atomic<int> seen{0};
    graph.node([&](Access& access) { access.write(a) = 1; }, "first", writes(a));
    for (int i = 0; i < 5; ++i) {
      graph.node([&](Access& access) { seen += access.read(a); }, "reader", reads(a));
    }
    graph.node([&](Access& access) { access.write(a) = access.read(b) + seen; }, "second",
               writes(a), reads(b));
    graph.node([&](Access& access) { access.write(b) = access.read(a); }, "third", reads(a),
               writes(b));
    graph.run();
    EXPECT_EQ(b.unguarded(), 12);
  });
}

// The oracle runs the same nodes one after the other.
TEST_P(AccessGraphTest, GivesTheSerialResultForRandomPrograms) {
  run([] {
    std::mt19937_64 random(jobs::test::seed());
    for (int repeat = 0; repeat < 10; ++repeat) {
      constexpr std::size_t kResources = 6;
      std::vector<std::unique_ptr<Resource<unsigned>>> resources;
      std::vector<unsigned> oracle(kResources, 1);
      for (std::size_t i = 0; i < kResources; ++i) {
        resources.push_back(std::make_unique<Resource<unsigned>>("r" + std::to_string(i), 1u));
      }
      AccessGraph graph;
      for (unsigned i = 0; i < 100; ++i) {
        const std::size_t from = random() % kResources;
        const std::size_t other = random() % kResources;
        const std::size_t to = random() % kResources;
        auto& r = resources;
        graph.node(
            [&, from, other, to, i](Access& access) {
              access.write(*r[to]) = access.read(*r[from]) * 31 + access.read(*r[other]) + i;
            },
            "node", reads(*r[from], *r[other]), writes(*r[to]));
        oracle[to] = oracle[from] * 31 + oracle[other] + i;
      }
      graph.run();
      for (std::size_t i = 0; i < kResources; ++i)
        EXPECT_EQ(resources[i]->unguarded(), oracle[i]) << jobs::test::replay();
    }
  });
}

TEST(AccessGraphChecks, MakesNoEdgesBetweenReaders) {
  Resource<int> a("a");
  AccessGraph graph;
  graph.node([](Access&) {}, "w", writes(a), reads(a));
  graph.node([](Access&) {}, "r1", reads(a));
  graph.node([](Access&) {}, "r2", reads(a));
  graph.node([](Access&) {}, "w2", writes(a));
  std::ostringstream dot;
  graph.graph().dump_dot(dot);
  const std::string text = dot.str();
  for (const char* edge : {"n0 -> n1", "n0 -> n2", "n1 -> n3", "n2 -> n3"})
    EXPECT_NE(text.find(edge), text.npos) << edge;
  for (const char* edge : {"n1 -> n2", "n2 -> n1", "n0 -> n3", "n0 -> n0"})
    EXPECT_EQ(text.find(edge), text.npos) << edge;
}

struct AccessGraphDeathTest : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(AccessGraphDeathTest, NamesTheNodeThatTouchesAnUndeclaredResource) {
  const auto run = [](AccessGraph::Checks checks) {
    Resource<int> secret("secret");
    AccessGraph graph(checks);
    graph.node([&](Access& access) { access.write(secret) = 1; }, "thief", reads(secret));
    jobs::Scheduler({.worker_count = 1}).run([&] { graph.run(); });
  };
  EXPECT_DEATH(run(AccessGraph::Checks::kOn), "thief writes secret, which it has not declared");
  run(AccessGraph::Checks::kOff);
  EXPECT_DEATH(
      {
        Resource<int> secret("secret");
        AccessGraph graph;
        graph.node([&](Access& access) { static_cast<void>(access.read(secret)); }, "spy");
        jobs::Scheduler({.worker_count = 1}).run([&] { graph.run(); });
      },
      "spy reads secret, which it has not declared");
  EXPECT_DEATH(
      {
        Resource<int> secret(
            "se\x1b"
            "cret");
        AccessGraph graph;
        graph.node([&](Access& access) { static_cast<void>(access.read(secret)); }, "s\npy");
        jobs::Scheduler({.worker_count = 1}).run([&] { graph.run(); });
      },
      "s\\\\npy reads se\\\\x1bcret, which it has not declared");
}

}  // namespace
