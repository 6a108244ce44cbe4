// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The placement of memory on a machine with several memory nodes, as its kernel reports it.
// `scripts/test --numa-vm` creates such a machine; elsewhere the tests are skipped. numa_test.cpp
// tests the requests to the system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory_resource>
#include <new>
#include <regex>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/base/topology.hpp"
#include "jobs/fiber.hpp"
#include "jobs/memory.hpp"
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

int node_of_worker(unsigned worker) { return static_cast<int>(topology().cpu_of(worker).memory); }

class NumaMachine : public testing::Test {
 protected:
  void SetUp() override {
    static_cast<void>(topology());  // the process-wide topology: workers are bound
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

// The memory that was bound to a node: for each such range, the number of its pages on each node,
// from the kernel's own list.
struct BoundMemory {
  int node;
  std::map<int, std::size_t> pages;
};

std::vector<BoundMemory> bound_memory() {
  std::vector<BoundMemory> bound;
  std::ifstream list("/proc/self/numa_maps");
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word >> word;
    BoundMemory memory;
    if (std::sscanf(word.c_str(), "prefer:%d", &memory.node) != 1) continue;
    while (words >> word) {
      int node = 0;
      std::size_t pages = 0;
      if (std::sscanf(word.c_str(), "N%d=%zu", &node, &pages) == 2) memory.pages[node] = pages;
    }
    bound.push_back(memory);
  }
  return bound;
}

// Stacks, slabs of jobs, slabs of users' blocks and rings of deques: everything that is bound to a
// node lies there.
TEST_F(NumaMachine, HasAllThatWorkersOwnOnTheirNodes) {
  constexpr std::size_t kBlocks = 1000;
  Scheduler scheduler({.pin_to_nodes = true});
  on_each(scheduler, [](unsigned, os::Node) {
    std::pmr::memory_resource& resource = *memory_resource();
    Counter done;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
      spawn(done, [] {});
      blocks.push_back(::new (resource.allocate(400)) int(1));
    }
    for (void* const block : blocks) resource.deallocate(block, 400);
    Fiber<>([] {}, {.stack_size = 64 * 1024}).join();
    done.wait();
  });
  std::map<int, std::size_t> pages_of;
  for (const BoundMemory& memory : bound_memory()) {
    for (const auto& [node, pages] : memory.pages) {
      EXPECT_EQ(node, memory.node) << pages << " pages";
      pages_of[node] += pages;
    }
  }
  for (unsigned i = 0; i < scheduler.worker_count(); ++i) {
    EXPECT_GE(pages_of[static_cast<int>(topology().cpu_of(i).memory)],
              kBlocks * 512 / os::page_size())
        << i;
  }
}

// The machine's nodes form a row: the nearest nodes are neighbours.
TEST_F(NumaMachine, HasVictimsByTheDistanceOfTheirNodes) {
  const auto workers = static_cast<unsigned>(topology().cpus().size());
  for (unsigned i = 0; i < workers; ++i) {
    int last = 0;
    unsigned victims = 0;
    for (const std::vector<unsigned>& ring : topology().victim_rings(i, workers)) {
      const int distance = std::abs(node_of_worker(ring.front()) - node_of_worker(i));
      for (const unsigned victim : ring)
        EXPECT_EQ(std::abs(node_of_worker(victim) - node_of_worker(i)), distance);
      EXPECT_TRUE(distance > last || (distance == 0 && victims == 0)) << i;
      last = distance;
      victims += static_cast<unsigned>(ring.size());
    }
    EXPECT_EQ(victims, workers - 1);
  }
}

// One worker is idle; all other workers have jobs and no time for them. The idle worker takes the
// jobs of its neighbour first, and then those of further nodes.
TEST_F(NumaMachine, StealsFromTheNearestFirst) {
  Scheduler scheduler({.pin_to_nodes = true});
  const unsigned workers = scheduler.worker_count();
  constexpr unsigned kJobs = 20;  // jobs per worker
  std::atomic<unsigned> arrived{0};
  std::atomic<unsigned> pushed{0};
  std::atomic<unsigned> left{kJobs * (workers - 1)};
  const auto wait_for = [](std::atomic<unsigned>& count, unsigned value) {
    while (count != value) os::yield_thread();
  };
  std::vector<unsigned> homes;  // only the thief writes it
  scheduler.run([&] {
    Counter done;
    for (unsigned i = 0; i < workers; ++i) {
      spawn(done,
            [&, i] {
              ++arrived;
              wait_for(arrived, workers);  // no worker searches any more
              if (i == 0) return wait_for(pushed, workers - 1);
              for (unsigned job = 0; job < kJobs; ++job) {
                spawn(done, [&, i] {
                  EXPECT_EQ(worker_index(), 0u);
                  homes.push_back(i);
                  --left;
                });
              }
              ++pushed;
              wait_for(left, 0);
            },
            {.on = worker(i)});
    }
    done.wait();
  });
  const auto distance = [&](unsigned home) {
    return std::abs(node_of_worker(home) - node_of_worker(0));
  };
  ASSERT_EQ(homes.size(), kJobs * (workers - 1));
  EXPECT_TRUE(std::is_sorted(homes.begin(), homes.end(), [&](unsigned a, unsigned b) {
    return distance(a) < distance(b);
  })) << testing::PrintToString(homes);
  const auto remote =
      static_cast<std::uint64_t>(std::count_if(homes.begin(), homes.end(), distance));
  EXPECT_EQ(scheduler.stats().remote_steals, remote);
  EXPECT_EQ(scheduler.stats().steals, homes.size());
}

// On each node one worker has work, and its neighbour has none. The share of work from other nodes
// depends on the scheduling of CPUs by the host, so the test has several attempts.
TEST_F(NumaMachine, StealsLessFromOtherNodesThanFromItsOwn) {
  std::map<os::Node, unsigned> first_of;
  const auto workers = static_cast<unsigned>(topology().cpus().size());
  for (unsigned i = workers; i-- > 0;) first_of[topology().cpu_of(i).memory] = i;
  if (first_of.size() == workers) GTEST_SKIP() << "nobody has a neighbour on its node";
  constexpr int kTries = 20;
  for (int tries = 1; tries <= kTries; ++tries) {
    Scheduler scheduler({.pin_to_nodes = true});
    scheduler.run([&] {
      Counter done;
      for (const auto& [node, home] : first_of) {
        spawn(done,
              [&] {
                for (int job = 0; job < 100; ++job) {
                  spawn(done, [] {
                    for (std::atomic<int> i{0}; i < 10'000;) ++i;
                  });
                }
              },
              {.on = worker(home)});
      }
      done.wait();
    });
    const Stats stats = scheduler.stats();
    std::printf("of %d thefts %d from other nodes\n", static_cast<int>(stats.steals),
                static_cast<int>(stats.remote_steals));
    if (2 * stats.remote_steals < stats.steals) return;
  }
  ADD_FAILURE() << "in none of " << kTries << " tries";
}

// Debian's kernel is older than MADV_GUARD_INSTALL.
TEST_F(NumaMachine, GuardsStacksAsItsKernelCan) {
  const char* guards = std::getenv("JOBS_TEST_GUARDS");
  if (guards == nullptr) GTEST_SKIP() << "nobody says how";
  const Scheduler scheduler;
  EXPECT_THAT(scheduler.describe(), testing::HasSubstr(std::string("guarded by ") + guards));
}

// Each worker spawns enough jobs that several slabs come from the heap.
TEST_F(NumaMachine, HasJobsOnTheNodesOfTheirSpawners) {
  Scheduler scheduler({.pin_to_nodes = true});
  on_each(scheduler, [](unsigned i, os::Node node) {
    Counter done;
    std::atomic<int> elsewhere{0};
    for (int job = 0; job < 5000; ++job) {
      spawn(done,
            [&elsewhere, node, closure = job] { elsewhere += node_of(&closure) == node ? 0 : 1; });
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
  constexpr double kTwoHugePages = 1024;  // the kernel places pages on nodes in groups of 512
  for (const int node : numa_nodes()) {
    EXPECT_NEAR(static_cast<double>(placement.on_node.at(static_cast<std::size_t>(node))),
                static_cast<double>(pages) / static_cast<double>(numa_nodes().size()),
                kTwoHugePages)
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
