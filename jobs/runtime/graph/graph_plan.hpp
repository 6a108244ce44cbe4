// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphPlan: the checked, flat form of a task graph that its runs execute.
//
// Owner: a TaskGraph. The user's thread builds the plan vertex by vertex and freezes it; these
// calls must not run concurrently. Once frozen, the plan is constant, and any thread may read it.
//
// Edges. A strong edge comes from a plain node: a node is ready when all its strong predecessors
// have ended. A weak edge comes from a condition: the condition names one successor, which runs at
// once, regardless of its other predecessors. Therefore only weak edges may close a cycle.
//
// Layout. freeze() checks the graph and lays it out in one array of nodes and one of successors.
// The successors of a node stand together. The first of them have no other predecessor: they are
// ready when the node ends, and a run offers them as one range.
//
// Order. Of several ready nodes, the first in order should start first: by priority, then by
// critical path, then by age. freeze() encodes this order in the positions of successors, so runs
// compare almost nothing.
//
// Numbers. freeze() renumbers the nodes in the order in which a lone worker runs them. Records of
// nodes that run in sequence stand side by side, as do their successors. Thus a run reads a graph
// larger than the caches as a stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "jobs/place.hpp"
#include "jobs/runtime/graph/graph_body.hpp"
#include "jobs/runtime/graph/job_limit.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GraphPlan {
 public:
  using Index = std::uint32_t;
  static constexpr Index kNone = ~Index{0};

  // A node as the builder describes it.
  struct Vertex {
    std::unique_ptr<GraphBody> body;
    std::string name;
    std::vector<Index> successors;
    int priority = 0;
    std::uint64_t weight = 1;
    JobLimit* limit = nullptr;
    Place place = anywhere;
    GraphPlan* sub_graph = nullptr;
    bool is_condition = false;
  };

  // A node as a run copies it. successors()[first, joins): ready when this node has ended, and free
  // to run on any worker. successors()[joins, last): wait for more nodes, too, or have a place.
  // Both ranges are in order.
  struct Node {
    GraphBody* body = nullptr;  // null: the node that ends the run
    Index first = 0;
    Index joins = 0;
    Index last = 0;
    Index predecessors = 0;  // strong predecessors
    // The node's own index in successors(), if it is ready after one node, or from the start.
    Index position = 0;
    // The number of joins that come before `first` in order; the greatest value means "or more".
    std::uint16_t early = 0;
    bool is_condition : 1 =
        false;  // the result of the body selects one of successors [first, last)
    bool has_limit : 1 = false;
    bool has_place : 1 = false;
    bool is_restricted : 1 = false;  // has a limit or a place
  };

  GraphPlan() = default;
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;

  // --- building ---
  // All functions except remove_last() throw Error(kBadArgument) once the graph is frozen.
  Index add(std::unique_ptr<GraphBody> body, std::string_view name);
  // Removes the last vertex and the edges to it.
  void remove_last() noexcept;
  Index add_slot(GraphSlotMaker make, void* argument);
  void connect(Index from, Index to);
  // Returns the vertex for changes.
  Vertex& vertex(Index index);
  void measure();
  // Checks the graph and lays it out, in O(nodes + edges log edges). Throws Error(kBadArgument) if
  // strong edges form a cycle, with the names of its nodes, or if no node can start. Has no effect
  // on a frozen graph.
  void freeze();
  bool is_frozen() const noexcept { return state_ == State::kFrozen; }

  // --- once frozen ---
  Index size() const noexcept { return static_cast<Index>(vertices_.size()); }
  // Returns the index of the node that ends the run.
  Index end() const noexcept { return size(); }
  const Node& node(Index index) const noexcept { return nodes_[index]; }
  // Returns the builder's number of a node.
  Index vertex_index(Index index) const noexcept { return order_[index]; }
  const Index* successors() const noexcept { return successors_.data(); }
  // successors()[0, sources()): ready from the start, without a place.
  Index sources() const noexcept { return sources_; }
  // successors()[sources(), starts()): ready from the start, with a place.
  Index starts() const noexcept { return starts_; }
  bool has_places() const noexcept { return has_places_; }
  bool has_conditions() const noexcept { return has_conditions_; }
  bool is_measured() const noexcept { return is_measured_; }
  GraphSlots make_slots(GraphRun& run) const;

  // --- in the numbers of the builder ---
  const std::vector<Vertex>& vertices() const noexcept { return vertices_; }
  // Returns the name of a vertex, or "node 3" if it has none.
  std::string name_of(Index vertex) const;
  // Returns the name in the form for messages.
  std::string escaped_name_of(Index vertex) const;

 private:
  enum class State : std::uint8_t { kOpen, kFreezing, kFrozen };
  struct Slot {
    GraphSlotMaker make;
    void* argument;
  };

  void expect_open() const;
  void count_predecessors();
  std::vector<Index> sort_topologically() const;
  [[noreturn]] void throw_cycle(const std::vector<Index>& missing) const;
  void put_in_order(const std::vector<Index>& topological);
  void lay_out();
  std::vector<Index> order_of_run() const;
  void renumber(const std::vector<Index>& order);

  std::vector<Vertex> vertices_;
  std::vector<Slot> slots_;
  std::vector<Node> nodes_;
  std::vector<Index> successors_;
  std::vector<Index> order_;  // indices of vertices, in the order of the nodes
  // Per vertex.
  std::vector<Index> strong_;  // number of strong predecessors
  std::vector<bool> has_weak_predecessor_;
  Index sources_ = 0;
  Index starts_ = 0;
  State state_ = State::kOpen;
  bool has_conditions_ = false;
  bool has_places_ = false;
  bool is_measured_ = false;
};

}  // namespace jobs::inline JOBS_ABI::detail
