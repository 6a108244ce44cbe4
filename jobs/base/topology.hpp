// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Topology: the positions of the CPUs of the machine, for the placement of workers and the order in
// which they steal: cores, last-level caches, NUMA nodes. It knows only the indices of workers. A
// Topology is immutable, so any thread may read it.
//
// A topology describes CPUs, not threads. If workers are not pinned, the operating system moves
// them; only Topology::flat() then describes their distances correctly.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A logical CPU. Two CPUs share a resource if its number is equal. Numbers of cores ascend so that
// neighbours are close to each other.
struct Cpu {
  unsigned os_index;  // kernel number
  unsigned core;
  unsigned llc;  // last-level cache
  unsigned node;
  unsigned package;
  os::Node memory = os::kAnyNode;  // kernel number of `node`
  unsigned capacity = 1;           // relative capacity of its kind of core

  friend bool operator==(const Cpu&, const Cpu&) = default;
};

// Latency of the memory of one node for another, by Cpu::node, as the firmware reports it; 10 for
// the own node.
struct NodeDistances {
  unsigned nodes = 0;               // 0: not reported
  std::vector<unsigned> latencies;  // of node b for node a at [a * nodes + b]
};

enum class Distance : unsigned { kSameCore, kSameCache, kSameNode, kRemote };
[[nodiscard]] Distance distance(const Cpu& a, const Cpu& b) noexcept;

class Topology {
 public:
  // pre: `cpus` is not empty.
  explicit Topology(std::vector<Cpu> cpus, NodeDistances node_distances = {});

  // One package with one cache; each CPU is a core of its own.
  static Topology flat(std::span<const unsigned> os_indices);

  // The CPUs in the order in which workers are placed: first one CPU of each core, neighbours in
  // sequence, then the second ones.
  std::span<const Cpu> cpus() const noexcept { return cpus_; }

  // The CPU of worker `index`. If workers outnumber CPUs, they share them in turn.
  const Cpu& cpu_of(unsigned index) const noexcept { return cpus_[index % cpus_.size()]; }

  // The victims of worker `index` of `count`: all other workers, nearest first, in groups of equal
  // distance. Workers on other nodes are ordered by the distance of their nodes. Within a group a
  // thief starts at a random victim, so that thieves do not crowd at one victim.
  std::vector<std::vector<unsigned>> victim_rings(unsigned index, unsigned count) const;

  // Relative capacity of each of `count` workers, without a unit. Empty: the machine has one kind
  // of core only, or does not report the capacity of the kinds.
  std::vector<unsigned> capacities(unsigned count) const;

  // The memory nodes of the CPUs by kernel number, ascending. Fewer than two: placement has no
  // effect.
  std::vector<os::Node> memory_nodes() const;
  // The kernel numbers of the CPUs that share the memory node of worker `index`.
  std::vector<unsigned> cpus_of_node(unsigned index) const;

  // The topology of the listed CPUs; of all CPUs if none of them exists.
  Topology restricted_to(std::span<const unsigned> os_indices) const;

 private:
  unsigned node_distance(unsigned from, unsigned to) const noexcept;

  std::vector<Cpu> cpus_;
  NodeDistances node_distances_;
};

// The topology by hwloc of this machine, or of the machine that `synthetic` describes ("package:2
// l3:2 core:4 pu:2"). Empty on failure. Takes milliseconds.
[[nodiscard]] std::optional<Topology> read_topology(const char* synthetic = nullptr);

// The topology of the CPUs that the calling thread may use. It queries hwloc once per process; if
// hwloc fails, the topology is flat. HWLOC_SYNTHETIC in the environment replaces the machine. Then
// all of its CPUs count as usable, although no thread can be pinned to them.
[[nodiscard]] Topology usable_topology();

// The memory nodes of the usable CPUs at the first call: those of the process, not of a worker that
// is bound to some of them.
[[nodiscard]] const std::vector<os::Node>& usable_memory_nodes();

}  // namespace jobs::inline JOBS_ABI::detail
