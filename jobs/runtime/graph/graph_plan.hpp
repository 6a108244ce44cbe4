// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphPlan: a task graph as its runs see it. It is built vertex by vertex; freeze() checks it and lays it out flat: one array of
// nodes and one of successors, in which the successors of a node stand together, those that have no other predecessor first (they
// are ready as soon as the node has ended, and go on offer as one range).
//
// Of the nodes that are ready at the same time the first in order should start first: by priority, critical path and age. That
// order is settled here, by the places of successors, so that runs hardly compare anything.
//
// Nodes are numbered anew: as a worker that is alone runs them. So the records of nodes that run one after the other stand side by
// side, and so do their successors: a graph that does not fit into the caches is read as a stream.
//
// Strong edges come from plain nodes: a node is ready when all its strong predecessors have ended. Weak edges come from
// conditions: the condition names the one successor that goes on at once, whatever else that one waits for. So only weak
// edges may close a loop.
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

  // What the builder says.
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

  // What a run copies. successors()[first, joins): ready once this node has ended, and anybody's. [joins, last): the others, which
  // wait for more nodes, too, or for a certain worker. Both in order.
  struct Node {
    GraphBody* body = nullptr;  // null: the end of the run
    Index first = 0;
    Index joins = 0;
    Index last = 0;
    Index predecessors = 0;  // strong ones
    Index position = 0;      // its own place in successors(), if it is ready after one node, or from the start
    std::uint16_t early =
        0;  // so many of the joins (or more, if it is the greatest number) come before `first` in order
    bool is_condition : 1 = false;  // successors [first, last) are chosen by index
    bool has_limit : 1 = false;
    bool has_place : 1 = false;
    bool is_restricted : 1 = false;  // has one of the two
  };

  GraphPlan() = default;
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;

  // --- building ---
  // All throw Error(kBadArgument) once the graph is frozen.
  Index add(std::unique_ptr<GraphBody> body, std::string_view name);
  // Takes the last one back, and the edges to it.
  void remove_last() noexcept;
  Index add_slot(GraphSlotMaker make, void* argument);
  void connect(Index from, Index to);
  Vertex& vertex(Index index);  // to change it
  void measure();
  // O(nodes + edges log edges). Throws Error(kBadArgument) that names the nodes of a cycle of strong edges, or says that no node can
  // start. Does nothing if it is frozen.
  void freeze();
  bool is_frozen() const noexcept { return state_ == State::kFrozen; }

  // --- once frozen ---
  Index size() const noexcept { return static_cast<Index>(vertices_.size()); }
  Index end() const noexcept { return size(); }  // the index of the node that ends the run
  const Node& node(Index index) const noexcept { return nodes_[index]; }
  Index vertex_index(Index index) const noexcept { return order_[index]; }  // its number for the builder
  const Index* successors() const noexcept { return successors_.data(); }
  Index sources() const noexcept {
    return sources_;
  }                                                  // successors()[0, sources()): ready from the start, and anybody's
  Index starts() const noexcept { return starts_; }  // [sources(), starts()): ready from the start, with a place
  bool has_places() const noexcept { return has_places_; }
  bool has_conditions() const noexcept { return has_conditions_; }
  bool is_measured() const noexcept { return is_measured_; }
  GraphSlots make_slots(GraphRun& run) const;

  // --- in the numbers of the builder ---
  const std::vector<Vertex>& vertices() const noexcept { return vertices_; }
  // Its name, or "node 3".
  std::string name_of(Index vertex) const;

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
  std::vector<Index> order_;  // of the nodes: indices of vertices
  // Of each vertex.
  std::vector<Index> strong_;  // strong predecessors
  std::vector<bool> has_weak_predecessor_;
  Index sources_ = 0;
  Index starts_ = 0;
  State state_ = State::kOpen;
  bool has_conditions_ = false;
  bool has_places_ = false;
  bool is_measured_ = false;
};

}  // namespace jobs::inline JOBS_ABI::detail
