// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Where memory comes to lie on a machine with several memory nodes, by the word of its kernel. For scripts/test --numa-vm, which makes
// such a machine; elsewhere the tests are skipped. numa_test.cpp has what is asked of the system.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/fiber.hpp"
#include "jobs/numa.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs {
namespace {

os::Node node_of(const void* address) {
  os::Node node = os::kAnyNode;
  os::find_nodes({&address, 1}, {&node, 1});
  return node;
}

const detail::Topology& topology() {
  static const detail::Topology topology = detail::usable_topology();
  return topology;
}

class NumaMachine : public testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(topology());  // of the process: workers are bound
    if (numa_nodes().size() < 2) GTEST_SKIP() << "this machine has one memory node";
  }

  // Runs f(i, its node) on each worker i.
  template <class F>
  static void on_each(Scheduler& scheduler, F f) {
    scheduler.run([&] {
      for (unsigned i = 0; i < scheduler.worker_count(); ++i) {
        Counter done;
        spawn(done, [&] { f(i, topology().cpu_of(i).memory); }, {.on = worker(i)});
        done.wait();
      }
    });
  }
};

TEST_F(NumaMachine, HasFourNodesWithDistantMemory) {
  const char* nodes = std::getenv("JOBS_TEST_NODES");
  if (nodes == nullptr) GTEST_SKIP() << "nobody says how many there are";
  EXPECT_EQ(std::to_string(numa_nodes().size()), nodes);
}

TEST_F(NumaMachine, HasStacksOnTheNodesOfTheirWorkers) {
  Scheduler scheduler({.pin_to_nodes = true});
  on_each(scheduler, [](unsigned i, os::Node node) {
    int here = 0;
    EXPECT_EQ(node_of(&here), node) << i;
    Fiber<> small(
        [] {
          int there = 0;
          EXPECT_EQ(node_of(&there), topology().cpu_of(worker_index().value()).memory);
        },
        {.stack_size = 64 * 1024});
    small.join();
  });
}

// Each worker spawns so many that the heap would be asked for several slabs.
TEST_F(NumaMachine, HasJobsOnTheNodesOfTheirSpawners) {
  Scheduler scheduler({.pin_to_nodes = true});
  on_each(scheduler, [](unsigned i, os::Node node) {
    Counter done;
    std::atomic<int> elsewhere{0};
    for (int job = 0; job < 5000; ++job) {
      spawn(done, [&elsewhere, node, closure = job] { elsewhere += node_of(&closure) == node ? 0 : 1; });
    }
    done.wait();
    EXPECT_EQ(elsewhere, 0) << i;
  });
}

TEST_F(NumaMachine, SaysSo) {
  Scheduler scheduler({.pin_workers = true});
  on_each(scheduler, [](unsigned, os::Node) {});
  std::string text = scheduler.describe();
  const std::regex counts("node \\d+ has (\\d+) of its (\\d+)");
  std::size_t nodes = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), counts), end; it != end; ++it, ++nodes) {
    EXPECT_EQ((*it)[1], (*it)[2]) << text;
    EXPECT_NE((*it)[1], "0") << text;
  }
  EXPECT_EQ(nodes, numa_nodes().size()) << text;
}

TEST_F(NumaMachine, SpreadsAVector) {
  const numa_vector<int> values(1 << 24, 1);
  const PagePlacement placement = page_placement(std::span(values));
  EXPECT_EQ(placement.absent, 0u);
  const std::size_t pages = values.size() * sizeof(int) / os::page_size();
  constexpr double kTwoHugePages = 1024;  // pages go to the nodes by the 512
  for (const int node : numa_nodes()) {
    EXPECT_NEAR(static_cast<double>(placement.on_node.at(static_cast<std::size_t>(node))),
                static_cast<double>(pages) / static_cast<double>(numa_nodes().size()), kTwoHugePages)
        << node;
  }
}

TEST_F(NumaMachine, HasTheFirstTouchOfEachWorkerOnItsNode) {
  Scheduler scheduler({.pin_to_nodes = true});
  first_touch_vector<std::byte> bytes(64 * os::page_size() * scheduler.worker_count());
  EXPECT_EQ(page_placement(std::span(bytes)).absent, bytes.size() / os::page_size());
  const std::size_t share = bytes.size() / scheduler.worker_count();
  on_each(scheduler, [&](unsigned i, os::Node node) {
    const std::span mine = std::span(bytes).subspan(i * share, share);
    std::fill(mine.begin(), mine.end(), std::byte{1});
    EXPECT_EQ(page_placement(mine).on_node.at(static_cast<std::size_t>(node)), 64u) << i;
  });
}

}  // namespace
}  // namespace jobs
