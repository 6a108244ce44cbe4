// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading the topology: the only file that includes hwloc.
#include <hwloc.h>

#include <algorithm>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "jobs/base/affinity.hpp"
#include "jobs/base/topology.hpp"

namespace jobs::inline JOBS_ABI::detail {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocTopology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

// Null if hwloc fails.
HwlocTopology load_hwloc(const char* synthetic) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return nullptr;
  HwlocTopology owner(topology);
  if (synthetic != nullptr && hwloc_topology_set_synthetic(topology, synthetic) != 0) return nullptr;
  if (hwloc_topology_load(topology) != 0) return nullptr;
  return owner;
}

hwloc_obj_t numa_node_of(hwloc_topology_t topology, hwloc_obj_t pu) {
  const int os_index = hwloc_bitmap_first(pu->nodeset);  // the first of several kinds of memory is the ordinary one
  return os_index < 0 ? nullptr : hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(os_index));
}

hwloc_obj_t last_level_cache_of(hwloc_obj_t pu) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t object = pu->parent; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type)) last = object;
  }
  return last;
}

// The number of each core, by its logical index: those of the fastest kind first, so that they get the first workers. Machines with one kind
// of core, and those of which nothing is known, keep the numbers that they have.
std::map<unsigned, unsigned> numbers_of_cores(hwloc_topology_t topology) {
  std::vector<std::pair<int, unsigned>> cores;  // with minus the efficiency of their kind: the more, the faster
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    int efficiency = -1;
    if (kind >= 0) {
      hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr, 0);
    }
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    cores.emplace_back(-efficiency, core != nullptr ? core->logical_index : pu->logical_index);
  }
  std::sort(cores.begin(), cores.end());
  std::map<unsigned, unsigned> numbers;
  for (const auto& [slowness, core] : cores) numbers.emplace(core, static_cast<unsigned>(numbers.size()));
  return numbers;
}

std::optional<Topology> topology_of(hwloc_topology_t topology) {
  std::vector<Cpu> cpus;
  const std::map<unsigned, unsigned> core_numbers = numbers_of_cores(topology);
  std::map<hwloc_obj_t, unsigned>
      llc_numbers;  // hwloc numbers caches by level, and last ones may be of different levels
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, pu);
    const hwloc_obj_t node = numa_node_of(topology, pu);
    const hwloc_obj_t cache = last_level_cache_of(pu);
    // Virtual machines often show no caches: then a node is as near as it gets.
    const hwloc_obj_t llc = cache != nullptr ? cache : node;
    cpus.push_back({.os_index = pu->os_index,
                    .core = core_numbers.at(core != nullptr ? core->logical_index : pu->logical_index),
                    .llc = llc_numbers.try_emplace(llc, static_cast<unsigned>(llc_numbers.size())).first->second,
                    .node = node != nullptr ? node->logical_index : 0,
                    .package = package != nullptr ? package->logical_index : 0,
                    .memory = node != nullptr ? static_cast<os::Node>(node->os_index) : os::kAnyNode});
  }
  if (cpus.empty()) return std::nullopt;
  return Topology(std::move(cpus));
}

}  // namespace

std::optional<Topology> read_topology(const char* synthetic) {
  const HwlocTopology hwloc = load_hwloc(synthetic);
  if (hwloc == nullptr) return std::nullopt;
  return topology_of(hwloc.get());
}

Topology usable_topology() {
  struct Machine {
    std::optional<Topology> topology;
    bool replaced = false;  // by HWLOC_SYNTHETIC or HWLOC_XMLFILE: its CPUs have nothing to do with our affinity mask
  };
  static const Machine machine = [] {
    const HwlocTopology hwloc = load_hwloc(nullptr);
    if (hwloc == nullptr) return Machine{};
    return Machine{topology_of(hwloc.get()), hwloc_topology_is_thissystem(hwloc.get()) == 0};
  }();
  const std::vector<unsigned> affinity = os::affinity_cpus();
  if (!machine.topology) return Topology::flat(affinity);
  return machine.replaced ? *machine.topology : machine.topology->restricted_to(affinity);
}

const std::vector<os::Node>& usable_memory_nodes() {
  static const std::vector<os::Node> nodes = usable_topology().memory_nodes();
  return nodes;
}

}  // namespace jobs::inline JOBS_ABI::detail
