// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Topology: the order of workers and victims.
#include "jobs/base/topology.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace jobs::inline JOBS_ABI::detail {
namespace {

// Cores in sequence, one CPU of each core before the second CPU of any core.
std::vector<Cpu> in_placement_order(const std::vector<Cpu>& cpus) {
  unsigned last_core = 0;
  for (const Cpu& cpu : cpus) last_core = std::max(last_core, cpu.core);
  // The number of CPUs of the same core that come before `cpu`.
  const auto place_in_core = [&](const Cpu& cpu) {
    unsigned place = 0;
    for (const Cpu& other : cpus)
      place += other.core == cpu.core && other.os_index < cpu.os_index ? 1 : 0;
    return place;
  };
  std::vector<Cpu> placed;
  for (unsigned place = 0; placed.size() < cpus.size(); ++place) {
    for (unsigned core = 0; core <= last_core; ++core) {
      for (const Cpu& cpu : cpus)
        if (cpu.core == core && place_in_core(cpu) == place) placed.push_back(cpu);
    }
  }
  return placed;
}

}  // namespace

Distance distance(const Cpu& a, const Cpu& b) noexcept {
  if (a.core == b.core) return Distance::kSameCore;
  if (a.llc == b.llc) return Distance::kSameCache;
  if (a.node == b.node) return Distance::kSameNode;
  return Distance::kRemote;
}

Topology::Topology(std::vector<Cpu> cpus, NodeDistances node_distances)
    : cpus_(in_placement_order(cpus)), node_distances_(std::move(node_distances)) {}

Topology Topology::flat(std::span<const unsigned> os_indices) {
  std::vector<Cpu> cpus;
  for (const unsigned os_index : os_indices) {
    cpus.push_back({.os_index = os_index,
                    .core = static_cast<unsigned>(cpus.size()),
                    .llc = 0,
                    .node = 0,
                    .package = 0});
  }
  return Topology(std::move(cpus));
}

std::vector<std::vector<unsigned>> Topology::victim_rings(unsigned index, unsigned count) const {
  const Cpu& here = cpu_of(index);
  // At least 1; 0 for the worker itself. Nodes are further than kRemote by their own distance.
  const auto distance_to = [&](unsigned other) {
    if (other == index) return 0u;
    const Cpu& there = cpu_of(other);
    const Distance far = distance(here, there);
    const unsigned further = far == Distance::kRemote ? node_distance(here.node, there.node) : 0;
    return 1 + static_cast<unsigned>(far) + further;
  };
  std::vector<std::vector<unsigned>> rings;
  // Each pass adds the ring of the nearest workers that are further than the last ring.
  for (unsigned last = 0;;) {
    constexpr unsigned kNone = std::numeric_limits<unsigned>::max();
    unsigned next = kNone;
    for (unsigned other = 0; other < count; ++other) {
      const unsigned far = distance_to(other);
      if (far > last) next = std::min(next, far);
    }
    if (next == kNone) return rings;
    rings.emplace_back();
    for (unsigned other = 0; other < count; ++other)
      if (distance_to(other) == next) rings.back().push_back(other);
    last = next;
  }
}

std::vector<unsigned> Topology::capacities(unsigned count) const {
  const auto is_as_first = [this](const Cpu& cpu) {
    return cpu.capacity == cpus_.front().capacity;
  };
  if (std::all_of(cpus_.begin(), cpus_.end(), is_as_first)) return {};
  // Two workers of one core do a quarter more work than one.
  constexpr unsigned kAlone = 8;
  constexpr unsigned kTogether = 10;
  std::vector<unsigned> capacities;
  for (unsigned i = 0; i < count; ++i) {
    unsigned on_core = 0;  // number of workers
    for (unsigned other = 0; other < count; ++other)
      on_core += cpu_of(other).core == cpu_of(i).core ? 1 : 0;
    const unsigned part = on_core == 1 ? kAlone : std::max(kTogether / on_core, 1u);
    capacities.push_back(cpu_of(i).capacity * part);
  }
  return capacities;
}

// Equal for all nodes if the distances are unknown.
unsigned Topology::node_distance(unsigned from, unsigned to) const noexcept {
  const unsigned nodes = node_distances_.nodes;
  return from < nodes && to < nodes ? node_distances_.latencies[from * nodes + to] : 0;
}

std::vector<os::Node> Topology::memory_nodes() const {
  std::vector<os::Node> nodes;  // ascending
  for (const Cpu& cpu : cpus_) {
    const auto place = std::lower_bound(nodes.begin(), nodes.end(), cpu.memory);
    if (cpu.memory != os::kAnyNode && (place == nodes.end() || *place != cpu.memory))
      nodes.insert(place, cpu.memory);
  }
  return nodes;
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

}  // namespace jobs::inline JOBS_ABI::detail
