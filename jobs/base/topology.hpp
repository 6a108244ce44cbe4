// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the CPUs of the machine sit, as far as it matters for the order in which workers are placed and steal from each
// other: cores, last-level caches, NUMA nodes. Knows nothing of workers but their index.
//
// A topology is about CPUs, not about threads: if workers are not pinned, the operating system moves them and only
// Topology::flat() tells the truth about their distances.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// A logical CPU. Two CPUs share what has the same number. Numbers of cores ascend so that neighbours are near each
// other.
struct Cpu {
  unsigned os_index;  // as the kernel counts
  unsigned core;
  unsigned llc;  // last-level cache
  unsigned node;
  unsigned package;
  os::Node memory = os::kAnyNode;  // the kernel's number of `node`
  unsigned capacity = 1;           // of its kind of core, compared with the others

  friend bool operator==(const Cpu&, const Cpu&) = default;
};

// How far the memory of node b is from node a, {a, b} by Cpu::node, as the firmware says: its latency, 10 for the own one. Empty: it does
// not say.
using NodeDistances = std::map<std::pair<unsigned, unsigned>, unsigned>;

enum class Distance : unsigned { kSameCore, kSameCache, kSameNode, kRemote };
[[nodiscard]] Distance distance(const Cpu& a, const Cpu& b) noexcept;

class Topology {
 public:
  // pre: `cpus` is not empty.
  explicit Topology(std::vector<Cpu> cpus, NodeDistances node_distances = {});

  // One package with one cache, each CPU a core of its own.
  static Topology flat(std::span<const unsigned> os_indices);

  // In the order in which workers are placed: first one CPU of each core, neighbours in sequence, then the second ones.
  std::span<const Cpu> cpus() const noexcept { return cpus_; }

  // Where worker `index` sits. With more workers than CPUs they share, in turn.
  const Cpu& cpu_of(unsigned index) const noexcept { return cpus_[index % cpus_.size()]; }

  // From whom worker `index` of `count` steals: the others, nearest first, in groups of equal distance; those of
  // other nodes by the distance of their nodes. Within a group the thief starts at random, so that thieves do not gather at one victim.
  std::vector<std::vector<unsigned>> victim_rings(unsigned index, unsigned count) const;

  // Of each of `count` workers: what it can do compared with the others, in no unit. Empty: the machine has one kind of core only, or
  // does not say what the kinds can do.
  std::vector<unsigned> capacities(unsigned count) const;

  // The memory nodes of the CPUs, as the kernel counts, ascending. Fewer than two: there is nothing to place.
  std::vector<os::Node> memory_nodes() const;
  // The CPUs that share the memory node of worker `index`, as the kernel counts.
  std::vector<unsigned> cpus_of_node(unsigned index) const;

  // Those of the CPUs that are listed; all of them if none is.
  Topology restricted_to(std::span<const unsigned> os_indices) const;

 private:
  unsigned node_distance(unsigned from, unsigned to) const noexcept;

  std::vector<Cpu> cpus_;
  NodeDistances node_distances_;
};

// What hwloc says of this machine, or of the one that `synthetic` describes ("package:2 l3:2 core:4 pu:2"). Empty if it
// fails. Takes milliseconds.
[[nodiscard]] std::optional<Topology> read_topology(const char* synthetic = nullptr);

// The CPUs of this machine that the calling thread may use. hwloc is asked once per process; where it fails, the
// topology is flat. HWLOC_SYNTHETIC in the environment replaces the machine: then all of its CPUs count as usable,
// although nobody can be pinned to them.
[[nodiscard]] Topology usable_topology();

// The memory nodes of those CPUs as the first caller had them: of the process, not of a worker that is bound to some.
[[nodiscard]] const std::vector<os::Node>& usable_memory_nodes();

}  // namespace jobs::inline JOBS_ABI::detail
