// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading the topology: the only file that includes hwloc.
#include "jobs/base/topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/base/affinity.hpp"

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

std::optional<unsigned> number_in(hwloc_topology_t topology, unsigned kind, std::string_view name) {
  unsigned count = 0;
  hwloc_info_s* infos = nullptr;
  if (hwloc_cpukinds_get_info(topology, kind, nullptr, nullptr, &count, &infos, 0) != 0) return std::nullopt;
  for (const hwloc_info_s& info : std::span(infos, count)) {
    if (info.name != name) continue;
    const std::string_view text = info.value;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_sane = error == std::errc() && end == text.data() + text.size() && value > 0 && value < 1'000'000;
    return is_sane ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

// Of each kind of core: what the kernel says, else its clock. Alike if one of them says nothing.
std::vector<unsigned> capacities_of_kinds(hwloc_topology_t topology) {
  const auto kinds = static_cast<unsigned>(std::max(hwloc_cpukinds_get_nr(topology, 0), 0));
  for (const std::string_view name : {"LinuxCapacity", "FrequencyMaxMHz"}) {
    std::vector<unsigned> capacities;
    for (unsigned kind = 0; kind < kinds; ++kind) {
      if (const std::optional<unsigned> number = number_in(topology, kind, name)) capacities.push_back(*number);
    }
    if (capacities.size() == kinds) return capacities;
  }
  return std::vector<unsigned>(kinds, 1);
}

NodeDistances node_distances_of(hwloc_topology_t topology) {
  NodeDistances distances;
  constexpr unsigned long kLatencyByTheSystem = HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  hwloc_distances_s* found = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found, kLatencyByTheSystem, 0) != 0 ||
      count == 0) {
    return distances;
  }
  const unsigned nodes = found->nbobjs;
  for (unsigned from = 0; from < nodes; ++from) {
    for (unsigned to = 0; to < nodes; ++to) {
      distances[{found->objs[from]->logical_index, found->objs[to]->logical_index}] =
          static_cast<unsigned>(found->values[from * nodes + to]);
    }
  }
  hwloc_distances_release(topology, found);
  return distances;
}

std::optional<Topology> topology_of(hwloc_topology_t topology) {
  std::vector<Cpu> cpus;
  const std::vector<unsigned> capacities = capacities_of_kinds(topology);
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
    const int kind = hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0);
    cpus.push_back({.os_index = pu->os_index,
                    .core = core_numbers.at(core != nullptr ? core->logical_index : pu->logical_index),
                    .llc = llc_numbers.try_emplace(llc, static_cast<unsigned>(llc_numbers.size())).first->second,
                    .node = node != nullptr ? node->logical_index : 0,
                    .package = package != nullptr ? package->logical_index : 0,
                    .memory = node != nullptr ? static_cast<os::Node>(node->os_index) : os::kAnyNode,
                    .capacity = kind >= 0 ? capacities[static_cast<unsigned>(kind)] : 1});
  }
  if (cpus.empty()) return std::nullopt;
  return Topology(std::move(cpus), node_distances_of(topology));
}

// Cores in sequence, one CPU of each before the second of any.
std::vector<Cpu> in_placement_order(std::vector<Cpu> cpus) {
  const auto by_core = [](const Cpu& a, const Cpu& b) {
    return std::tie(a.core, a.os_index) < std::tie(b.core, b.os_index);
  };
  std::sort(cpus.begin(), cpus.end(), by_core);
  std::vector<std::pair<unsigned, Cpu>> ranked;  // with the number of siblings that come before
  for (const Cpu& cpu : cpus) {
    const bool sibling = !ranked.empty() && ranked.back().second.core == cpu.core;
    ranked.emplace_back(sibling ? ranked.back().first + 1 : 0, cpu);
  }
  std::sort(ranked.begin(), ranked.end(), [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : by_core(a.second, b.second);
  });
  std::transform(ranked.begin(), ranked.end(), cpus.begin(), [](const auto& entry) { return entry.second; });
  return cpus;
}

}  // namespace

Distance distance(const Cpu& a, const Cpu& b) noexcept {
  if (a.core == b.core) return Distance::kSameCore;
  if (a.llc == b.llc) return Distance::kSameCache;
  if (a.node == b.node) return Distance::kSameNode;
  return Distance::kRemote;
}

Topology::Topology(std::vector<Cpu> cpus, NodeDistances node_distances)
    : cpus_(in_placement_order(std::move(cpus))), node_distances_(std::move(node_distances)) {}

Topology Topology::flat(std::span<const unsigned> os_indices) {
  std::vector<Cpu> cpus;
  for (const unsigned os_index : os_indices) {
    cpus.push_back(
        {.os_index = os_index, .core = static_cast<unsigned>(cpus.size()), .llc = 0, .node = 0, .package = 0});
  }
  return Topology(std::move(cpus));
}

std::vector<std::vector<unsigned>> Topology::victim_rings(unsigned index, unsigned count) const {
  std::map<std::pair<Distance, unsigned>, std::vector<unsigned>> by_distance;
  const Cpu& here = cpu_of(index);
  for (unsigned other = 0; other < count; ++other) {
    if (other == index) continue;
    const Cpu& there = cpu_of(other);
    const Distance far = distance(here, there);
    by_distance[{far, far == Distance::kRemote ? node_distance(here.node, there.node) : 0}].push_back(other);
  }
  std::vector<std::vector<unsigned>> rings;
  for (auto& [key, ring] : by_distance) rings.push_back(std::move(ring));
  return rings;
}

std::vector<unsigned> Topology::capacities(unsigned count) const {
  const auto is_as_first = [this](const Cpu& cpu) { return cpu.capacity == cpus_.front().capacity; };
  if (std::all_of(cpus_.begin(), cpus_.end(), is_as_first)) return {};
  std::map<unsigned, unsigned> workers;  // of each core
  for (unsigned i = 0; i < count; ++i) ++workers[cpu_of(i).core];
  // Two workers of one core do a quarter more than one.
  constexpr unsigned kAlone = 8;
  constexpr unsigned kTogether = 10;
  std::vector<unsigned> capacities;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned on_core = workers[cpu_of(i).core];
    const unsigned part = on_core == 1 ? kAlone : std::max(kTogether / on_core, 1u);
    capacities.push_back(cpu_of(i).capacity * part);
  }
  return capacities;
}

// Equal for all if nobody knows it.
unsigned Topology::node_distance(unsigned from, unsigned to) const noexcept {
  const auto found = node_distances_.find({from, to});
  return found != node_distances_.end() ? found->second : 0;
}

std::vector<os::Node> Topology::memory_nodes() const {
  std::set<os::Node> nodes;
  for (const Cpu& cpu : cpus_) {
    if (cpu.memory != os::kAnyNode) nodes.insert(cpu.memory);
  }
  return {nodes.begin(), nodes.end()};
}

std::vector<unsigned> Topology::cpus_of_node(unsigned index) const {
  std::vector<unsigned> cpus;
  for (const Cpu& cpu : cpus_) {
    if (cpu.node == cpu_of(index).node) cpus.push_back(cpu.os_index);
  }
  return cpus;
}

Topology Topology::restricted_to(std::span<const unsigned> os_indices) const {
  std::vector<Cpu> kept;
  std::copy_if(cpus_.begin(), cpus_.end(), std::back_inserter(kept), [&](const Cpu& cpu) {
    return std::find(os_indices.begin(), os_indices.end(), cpu.os_index) != os_indices.end();
  });
  return kept.empty() ? *this : Topology(std::move(kept), node_distances_);
}

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
