// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Topology: the query of the machine. Only this file includes hwloc.
#include <hwloc.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
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
  if (synthetic != nullptr && hwloc_topology_set_synthetic(topology, synthetic) != 0)
    return nullptr;
  if (hwloc_topology_load(topology) != 0) return nullptr;
  return owner;
}

hwloc_obj_t numa_node_of(hwloc_topology_t topology, hwloc_obj_t pu) {
  // Of several kinds of memory, the first is the ordinary one.
  const int os_index = hwloc_bitmap_first(pu->nodeset);
  return os_index < 0
             ? nullptr
             : hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(os_index));
}

hwloc_obj_t last_level_cache_of(hwloc_obj_t pu) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t object = pu->parent; object != nullptr; object = object->parent) {
    if (hwloc_obj_type_is_dcache(object->type)) last = object;
  }
  return last;
}

// Returns the efficiency of the core of `pu`: from 0 to the number of kinds minus 1, higher for a
// faster core. Returns -1 if it is unknown.
int efficiency_of(hwloc_topology_t topology, hwloc_obj_t pu) {
  const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
  int efficiency = -1;
  if (kind >= 0) {
    hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr,
                            nullptr, 0);
  }
  return efficiency;
}

using Key = std::pair<unsigned, unsigned>;  // {type, logical index} of an object

Key key_of(const hwloc_obj& object) { return {unsigned{object.type}, object.logical_index}; }

// The number of an object: its index in `known`, which grows by an unknown object.
unsigned number_of(std::vector<Key>& known, const Key& key) {
  const auto found = std::find(known.begin(), known.end(), key);
  const auto number = static_cast<unsigned>(found - known.begin());
  if (found == known.end()) known.push_back(key);
  return number;
}

// The core of a logical CPU; the CPU itself if the machine shows no cores.
const hwloc_obj& core_of(hwloc_topology_t topology, hwloc_obj& pu) {
  const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, &pu);
  return core != nullptr ? *core : pu;
}

// The cores by their numbers. Cores of the fastest kind come first, so that they get the first
// workers. If the machine has one kind of core, or the kinds are unknown, the cores keep their
// order.
std::vector<Key> numbered_cores(hwloc_topology_t topology) {
  std::vector<Key> cores;
  for (int efficiency = hwloc_cpukinds_get_nr(topology, 0); efficiency >= -1; --efficiency) {
    for (hwloc_obj_t pu = nullptr;
         (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
      if (efficiency_of(topology, pu) == efficiency)
        number_of(cores, key_of(core_of(topology, *pu)));
    }
  }
  return cores;
}

std::optional<unsigned> number_in(hwloc_topology_t topology, unsigned kind, std::string_view name) {
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  if (hwloc_cpukinds_get_info(topology, kind, nullptr, nullptr, &count, &infos, 0) != 0)
    return std::nullopt;
  for (const hwloc_info_s& info : std::span(infos, count)) {
    if (info.name != name) continue;
    const std::string_view text = info.value;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_sane =
        error == std::errc() && end == text.data() + text.size() && value > 0 && value < 1'000'000;
    return is_sane ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

// Capacity of each kind of core: the kernel's figure, or else the clock frequency. Equal for all
// kinds if a figure is missing.
std::vector<unsigned> capacities_of_kinds(hwloc_topology_t topology) {
  const auto kinds = static_cast<unsigned>(std::max(hwloc_cpukinds_get_nr(topology, 0), 0));
  for (const std::string_view name : {"LinuxCapacity", "FrequencyMaxMHz"}) {
    std::vector<unsigned> capacities;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      if (const std::optional<unsigned> number = number_in(topology, kind, name))
        capacities.push_back(*number);
    }
    if (capacities.size() == kinds) return capacities;
  }
  return std::vector<unsigned>(kinds, 1);
}

NodeDistances node_distances_of(hwloc_topology_t topology) {
  NodeDistances distances;
  constexpr unsigned long kLatencyByTheSystem =
      HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found, kLatencyByTheSystem,
                                  0) != 0 ||
      count == 0) {
    return distances;
  }
  distances.nodes =
      static_cast<unsigned>(std::max(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE), 0));
  distances.latencies.resize(distances.nodes * distances.nodes);
  for (unsigned from = 0; from < found->nbobjs; ++from) {
    unsigned* const row = &distances.latencies[found->objs[from]->logical_index * distances.nodes];
    for (unsigned to = 0; to < found->nbobjs; ++to) {
      row[found->objs[to]->logical_index] =
          static_cast<unsigned>(found->values[from * found->nbobjs + to]);
    }
  }
  hwloc_distances_release(topology, found);
  return distances;
}

std::optional<Topology> topology_of(hwloc_topology_t topology) {
  std::vector<Cpu> cpus;
  const std::vector<unsigned> capacities = capacities_of_kinds(topology);
  std::vector<Key> cores = numbered_cores(topology);
  std::vector<Key> llcs;  // The last caches may be of different levels.
  for (hwloc_obj_t pu = nullptr;
       (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, pu);
    const hwloc_obj_t node = numa_node_of(topology, pu);
    const hwloc_obj_t cache = last_level_cache_of(pu);
    // Virtual machines often show no caches: then a node is the smallest shared unit.
    const hwloc_obj_t llc = cache != nullptr ? cache : node;
    const auto llc_key = llc != nullptr ? key_of(*llc) : Key{0, 0};
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    cpus.push_back(
        {.os_index = pu->os_index,
         .core = number_of(cores, key_of(core_of(topology, *pu))),
         .llc = number_of(llcs, llc_key),
         .node = node != nullptr ? node->logical_index : 0,
         .package = package != nullptr ? package->logical_index : 0,
         .memory = node != nullptr ? static_cast<os::Node>(node->os_index) : os::kAnyNode,
         .capacity = kind >= 0 ? capacities[static_cast<unsigned>(kind)] : 1});
  }
  if (cpus.empty()) return std::nullopt;
  return Topology(std::move(cpus), node_distances_of(topology));
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
    // By HWLOC_SYNTHETIC or HWLOC_XMLFILE: its CPUs have no relation to our affinity mask.
    bool replaced = false;
  };
  static const Machine machine = [] {
    // If the kernel refuses the mask, hwloc tries for ever with larger masks.
    const os::ThreadId self = os::thread_id();
    if (os::affinity_of({&self, 1}) == 0) return Machine{};
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
