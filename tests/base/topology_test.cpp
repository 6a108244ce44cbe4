// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The topology: order of placement and of victims, on synthetic machines of hwloc.
#include "jobs/base/topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "jobs/base/affinity.hpp"
#include "tests/support/hybrid_machine.hpp"

namespace {

using jobs::detail::Cpu;
using jobs::detail::distance;
using jobs::detail::Distance;
using jobs::detail::NodeDistances;
using jobs::detail::read_topology;
using jobs::detail::Topology;
using testing::ElementsAre;
using testing::IsEmpty;

using Rings = std::vector<std::vector<unsigned>>;

std::vector<unsigned> os_indices(const Topology& topology) {
  std::vector<unsigned> indices;
  for (const Cpu& cpu : topology.cpus()) indices.push_back(cpu.os_index);
  return indices;
}

// 2 packages of 1 node each, 2 caches in each, 2 cores below each cache, 2 CPUs in each core: 16
// CPUs.
Topology two_packages() { return read_topology("package:2 numa:1 l3:2 core:2 pu:2").value(); }

TEST(Topology, PlacesWorkersOnDistinctCoresFirst) {
  EXPECT_THAT(os_indices(two_packages()),
              ElementsAre(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15));
}

TEST(Topology, KnowsWhatCpusShare) {
  const Topology topology = two_packages();
  const auto cpus = topology.cpus();
  EXPECT_EQ(cpus[0],
            (Cpu{.os_index = 0, .core = 0, .llc = 0, .node = 0, .package = 0, .memory = 0}));
  EXPECT_EQ(cpus[3],
            (Cpu{.os_index = 6, .core = 3, .llc = 1, .node = 0, .package = 0, .memory = 0}));
  EXPECT_EQ(cpus[15],
            (Cpu{.os_index = 15, .core = 7, .llc = 3, .node = 1, .package = 1, .memory = 1}));
}

TEST(Topology, MeasuresDistance) {
  const Topology topology = two_packages();
  EXPECT_EQ(distance(topology.cpu_of(0), topology.cpu_of(8)), Distance::kSameCore);
  EXPECT_EQ(distance(topology.cpu_of(0), topology.cpu_of(1)), Distance::kSameCache);
  EXPECT_EQ(distance(topology.cpu_of(0), topology.cpu_of(2)), Distance::kSameNode);
  EXPECT_EQ(distance(topology.cpu_of(0), topology.cpu_of(4)), Distance::kRemote);
  for (unsigned i = 0; i < 16; ++i) {
    for (unsigned j = 0; j < 16; ++j) {
      EXPECT_EQ(distance(topology.cpu_of(i), topology.cpu_of(j)),
                distance(topology.cpu_of(j), topology.cpu_of(i)));
    }
  }
}

TEST(Topology, ListsVictimsInRingsOfGrowingDistance) {
  EXPECT_EQ(two_packages().victim_rings(0, 16),
            (Rings{{8}, {1, 9}, {2, 3, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}}));
  EXPECT_EQ(two_packages().victim_rings(15, 16),
            (Rings{{7}, {6, 14}, {4, 5, 12, 13}, {0, 1, 2, 3, 8, 9, 10, 11}}));
}

TEST(Topology, LeavesOutEmptyRings) {
  EXPECT_EQ(two_packages().victim_rings(1, 4), (Rings{{0}, {2, 3}}));
  EXPECT_THAT(two_packages().victim_rings(0, 1), IsEmpty());
}

TEST(Topology, ListsEveryOtherWorkerOnceAsAVictim) {
  const Topology topology = two_packages();
  for (const unsigned count : {1u, 2u, 3u, 7u, 16u, 17u, 50u}) {
    for (unsigned index = 0; index < count; ++index) {
      std::multiset<unsigned> victims{index};
      for (const auto& ring : topology.victim_rings(index, count))
        victims.insert(ring.begin(), ring.end());
      EXPECT_EQ(victims.size(), count);
      EXPECT_EQ(std::set(victims.begin(), victims.end()).size(), count);
    }
  }
}

TEST(Topology, LetsExcessWorkersShareCpus) {
  const Topology topology = read_topology("core:2 pu:1").value();
  EXPECT_EQ(topology.cpu_of(0), topology.cpu_of(2));
  EXPECT_EQ(topology.victim_rings(0, 5), (Rings{{2, 4}, {1, 3}}));
}

TEST(Topology, TakesNodesForCachesWhereNoneAreShown) {
  const Topology topology = read_topology("numa:2 core:2 pu:1").value();
  EXPECT_EQ(topology.victim_rings(0, 4), (Rings{{1}, {2, 3}}));
  EXPECT_EQ(distance(topology.cpu_of(0), topology.cpu_of(1)), Distance::kSameCache);
}

TEST(Topology, TakesTheCacheNearestToMemoryForTheLastLevel) {
  const Topology topology = read_topology("numa:1 l3:1 l2:2 core:2 pu:1").value();
  EXPECT_EQ(topology.victim_rings(0, 4), (Rings{{1, 2, 3}}));
}

TEST(Topology, ReadsMachinesWithSeveralKindsOfMemory) {
  const Topology topology = read_topology("package:2 [numa] l3:2 [numa] core:2 pu:1").value();
  EXPECT_EQ(topology.cpus().size(), 8u);
  EXPECT_EQ(topology.victim_rings(0, 8), (Rings{{1}, {2, 3, 4, 5, 6, 7}}))
      << "each cache has memory of its own";
}

TEST(Topology, ReadsMachinesOfMoreThan1024Cpus) {
  const Topology topology = read_topology("package:4 numa:4 l3:2 core:32 pu:2").value();
  EXPECT_EQ(topology.cpus().size(), 2048u);
  EXPECT_EQ(topology.cpus()[1024].core, 0u) << "second CPUs of the cores come after all first ones";
}

// 2 sockets of 4 caches of 4 cores of 2 CPUs: 64 CPUs.
TEST(Topology, OrdersAServer) {
  const Topology topology = read_topology("package:2 numa:1 l3:4 core:4 pu:2").value();
  ASSERT_EQ(topology.cpus().size(), 64u);
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(topology.cpu_of(i).os_index, 2 * i) << "a core each, side by side";
  for (unsigned i = 32; i < 64; ++i) EXPECT_EQ(topology.cpu_of(i).os_index, 2 * (i - 32) + 1);
  const Rings rings = topology.victim_rings(5, 64);
  ASSERT_EQ(rings.size(), 4u);
  EXPECT_THAT(rings[0], ElementsAre(37)) << "the other CPU of its core";
  EXPECT_THAT(rings[1], ElementsAre(4, 6, 7, 36, 38, 39)) << "its cache";
  EXPECT_EQ(rings[2].size(), 24u) << "its socket";
  EXPECT_EQ(rings[3].size(), 32u) << "the other one";
}

TEST(Topology, OrdersAMachineOfOneCore) {
  const Topology topology = read_topology("core:1 pu:1").value();
  EXPECT_THAT(os_indices(topology), ElementsAre(0));
  EXPECT_THAT(topology.victim_rings(0, 1), IsEmpty());
  EXPECT_EQ(topology.victim_rings(2, 4), (Rings{{0, 1, 3}})) << "more workers than it has cores";
}

TEST(Topology, OrdersAMachineOfThreeHundredCores) {
  const Topology topology = read_topology("package:2 numa:5 l3:3 core:10 pu:1").value();
  ASSERT_EQ(topology.cpus().size(), 300u);
  const Rings rings = topology.victim_rings(299, 300);
  ASSERT_EQ(rings.size(), 3u);
  EXPECT_EQ(rings[0].size(), 9u);
  EXPECT_EQ(rings[1].size(), 20u);
  EXPECT_EQ(rings[2].size(), 270u);
}

// Two fast cores with two CPUs each, two slow cores with one CPU each.
TEST(Topology, KnowsThatWorkersOfOneCoreShareIt) {
  const Topology topology(
      {{.os_index = 0, .core = 0, .llc = 0, .node = 0, .package = 0, .capacity = 1000},
       {.os_index = 1, .core = 0, .llc = 0, .node = 0, .package = 0, .capacity = 1000},
       {.os_index = 2, .core = 1, .llc = 0, .node = 0, .package = 0, .capacity = 1000},
       {.os_index = 3, .core = 1, .llc = 0, .node = 0, .package = 0, .capacity = 1000},
       {.os_index = 4, .core = 2, .llc = 0, .node = 0, .package = 0, .capacity = 500},
       {.os_index = 5, .core = 3, .llc = 0, .node = 0, .package = 0, .capacity = 500}});
  EXPECT_THAT(topology.capacities(4), ElementsAre(8000, 8000, 4000, 4000));
  EXPECT_THAT(topology.capacities(5), ElementsAre(5000, 8000, 4000, 4000, 5000));
  EXPECT_THAT(topology.capacities(6), ElementsAre(5000, 5000, 4000, 4000, 5000, 5000));
  EXPECT_THAT(topology.capacities(100), testing::SizeIs(100)) << "more workers than CPUs";
  EXPECT_THAT(two_packages().capacities(16), IsEmpty()) << "all alike";
}

TEST(Topology, KeepsItsOrderWhenRestricted) {
  const std::vector<unsigned> allowed{15, 1, 0,
                                      3};  // both CPUs of core 0, one of core 1, one of core 7
  const Topology topology = two_packages().restricted_to(allowed);
  EXPECT_THAT(os_indices(topology), ElementsAre(0, 3, 15, 1));
  EXPECT_EQ(topology.victim_rings(0, 4), (Rings{{3}, {1}, {2}}));
}

TEST(Topology, StaysWholeWhenRestrictedToCpusThatItDoesNotHave) {
  const std::vector<unsigned> unknown{77};
  EXPECT_EQ(two_packages().restricted_to(unknown).cpus().size(), 16u);
}

TEST(Topology, HasOneRingWhenFlat) {
  const std::vector<unsigned> cpus{3, 5, 9};
  const Topology topology = Topology::flat(cpus);
  EXPECT_THAT(os_indices(topology), ElementsAre(3, 5, 9));
  EXPECT_EQ(topology.victim_rings(1, 3), (Rings{{0, 2}}));
}

TEST(Topology, HasRemoteVictimsByTheDistanceOfTheirNodes) {
  std::vector<Cpu> cpus;
  NodeDistances distances{.nodes = 4, .latencies = {}};
  for (unsigned i = 0; i < 4; ++i)
    cpus.push_back({.os_index = i, .core = i, .llc = i, .node = i, .package = 0});
  for (unsigned from = 0; from < 4; ++from) {
    for (unsigned to = 0; to < 4; ++to)
      distances.latencies.push_back(from == to ? 10 : (from ^ to) == 3 ? 15 : 20);
  }
  const Topology topology(cpus, distances);
  EXPECT_EQ(topology.victim_rings(0, 4), (Rings{{3}, {1, 2}}));
  EXPECT_EQ(topology.victim_rings(2, 4), (Rings{{1}, {0, 3}}));
  const std::vector<unsigned> some{0, 2, 3};
  EXPECT_EQ(topology.restricted_to(some).victim_rings(0, 3), (Rings{{2}, {1}}));
}

TEST(Topology, KnowsTheMemoryNodesAsTheKernelCounts) {
  EXPECT_THAT(read_topology("package:2 [numa(indexes=3,1)] core:2 pu:1").value().memory_nodes(),
              ElementsAre(1, 3));
  EXPECT_THAT(read_topology("package:1 core:2 pu:1").value().memory_nodes(), ElementsAre(0));
  const std::vector<unsigned> cpus{3, 5};
  EXPECT_THAT(Topology::flat(cpus).memory_nodes(), ElementsAre()) << "nothing is known of them";
}

TEST(Topology, KnowsTheCpusOfANode) {
  const Topology topology = read_topology("package:2 [numa] core:2 pu:1").value();
  EXPECT_THAT(topology.cpus_of_node(0), ElementsAre(0, 1));
  EXPECT_THAT(topology.cpus_of_node(3), ElementsAre(2, 3));
  EXPECT_EQ(topology.cpu_of(3).memory, 1);
}

TEST(Topology, IsEmptyHandedForADescriptionThatMeansNothing) {
  for (const char* junk :
       {"", "x", "core:", "core:0 pu:1", "pu:1 core:2", "package:2 l3:", "\xff"}) {
    EXPECT_FALSE(read_topology(junk).has_value()) << "for \"" << junk << '"';
  }
}

TEST(UsableTopology, ConsistsOfTheAffinityMask) {
  if (std::getenv("HWLOC_SYNTHETIC") != nullptr) GTEST_SKIP() << "the machine is made up";
  auto indices = os_indices(jobs::detail::usable_topology());
  std::sort(indices.begin(), indices.end());
  EXPECT_EQ(indices, jobs::os::affinity_cpus());
}

// The library calls hwloc once per process, so each case needs a process of its own.
unsigned cpus_with(const char* variable, const char* value) {
  setenv(variable, value, 1);
  return static_cast<unsigned>(jobs::detail::usable_topology().cpus().size());
}

TEST(UsableTopologyDeathTest, IsTheMadeUpMachineOfTheEnvironment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_Exit(cpus_with("HWLOC_SYNTHETIC", "package:2 core:3 pu:2") == 12 ? 0 : 1),
              testing::ExitedWithCode(0), "");
}

TEST(UsableTopologyDeathTest, TakesTheFastestCoresFirst) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto order = [] {
    const jobs::test::HybridMachine machine("LinuxCapacity", "1024", "512");
    const Topology topology = jobs::detail::usable_topology();
    const std::vector<unsigned> indices = os_indices(topology);
    if (indices.size() != 24) return 1;
    for (unsigned i = 0; i < 24; ++i) {
      if (indices[i] != (i < 8 ? 16 + i : i - 8)) return 2;
      if (topology.cpus()[i].capacity != (i < 8 ? 1024 : 512)) return 3;
    }
    return 0;
  };
  EXPECT_EXIT(_Exit(order()), testing::ExitedWithCode(0), "");
}

std::vector<unsigned> capacities_of(const char* name, const char* of_fast, const char* of_slow) {
  const jobs::test::HybridMachine machine(name, of_fast, of_slow);
  return jobs::detail::usable_topology().capacities(10);
}

TEST(UsableTopologyDeathTest, KnowsWhatFastAndSlowCoresCanDo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::vector<unsigned> by_clock{4000, 4000, 4000, 4000, 4000, 4000, 4000, 4000, 2500, 2500};
  const auto is_by_clock = [&] {
    std::vector<unsigned> capacities = capacities_of("FrequencyMaxMHz", "4000", "2500");
    for (unsigned& capacity : capacities) capacity /= 8;
    return capacities == by_clock;
  };
  EXPECT_EXIT(_Exit(is_by_clock() ? 0 : 1), testing::ExitedWithCode(0), "");
  for (const char* junk : {"", "0", "-5", "4000x", "99999999999", "fast"}) {
    EXPECT_EXIT(_Exit(capacities_of("LinuxCapacity", "1024", junk).empty() ? 0 : 1),
                testing::ExitedWithCode(0), "")
        << junk;
  }
  EXPECT_EXIT(_Exit(capacities_of("CoreType", "IntelCore", "IntelAtom").empty() ? 0 : 1),
              testing::ExitedWithCode(0), "");
}

TEST(UsableTopologyDeathTest, IsFlatWhereHwlocFails) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      _Exit(cpus_with("HWLOC_COMPONENTS", "stop") == jobs::os::affinity_cpus().size() ? 0 : 1),
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      _Exit(cpus_with("HWLOC_XMLFILE", "/dev/null") == jobs::os::affinity_cpus().size() ? 0 : 1),
      testing::ExitedWithCode(0), "");
}

}  // namespace
