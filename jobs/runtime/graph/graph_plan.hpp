// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphPlan: the vertices of a task graph, and the checked, flat form that repeated runs execute.
//
// Owner: a TaskGraph. The user's thread builds the plan vertex by vertex and freezes it; these
// calls must not run concurrently. Once frozen, the plan is constant, and any thread may read it.
//
// States. Open: the user builds the graph. Closed: the first run executes the vertices themselves
// (graph_first_run.hpp). Frozen: runs execute the flat form. clear() opens the graph again; its
// memory stays, so a graph that is built in every frame needs no allocation.
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

#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/place.hpp"
#include "jobs/priority.hpp"
#include "jobs/runtime/graph/graph_arena.hpp"
#include "jobs/runtime/graph/graph_body.hpp"
#include "jobs/runtime/graph/graph_vertex.hpp"
#include "jobs/runtime/graph/job_limit.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GraphPlan : public HeapObject<GraphPlan> {
 public:
  using Index = GraphVertex::Index;
  static constexpr Index kNone = ~Index{0};

  // What the builder may set for a vertex. Most vertices have none of it.
  struct Traits {
    std::string_view name;
    int priority = 0;  // orders ready nodes of the graph
    Priority job_priority = Priority::kNormal;
    std::uint64_t weight = 1;
    JobLimit* limit = nullptr;
    Place place = anywhere;
    GraphPlan* sub_graph = nullptr;
  };

  // A node as a run copies it. successors()[first, joins): ready when this node has ended, and free
  // to run on any worker. successors()[joins, last): wait for more nodes, too, or have options.
  // Both ranges are in order, but nodes with options stand at the end of the second, last ones
  // first: the run visits the range from its end, and sends them to FIFO queues.
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
    bool has_options : 1 = false;    // has a place, or a job priority other than kNormal
    bool is_restricted : 1 = false;  // has a limit or options
    bool is_sent : 1 = false;        // of a run: it stands in the queue that its options require
  };

  GraphPlan() = default;
  ~GraphPlan() { clear(); }
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;

  // --- building ---
  // All functions except remove_last() and clear() throw Error(kBadArgument) once the graph is
  // closed. They change nothing if they throw.
  //
  // Returns the place of the body of the next vertex. `alignment`: a power of two.
  void* allocate_body(std::size_t bytes, std::size_t alignment);
  // Adds a vertex with the body that the caller has constructed in this place. The plan calls its
  // destructor only if `has_destructor`; also if add() throws.
  GraphVertex& add(GraphBody& body, bool has_destructor, std::string_view name);
  template <class Body, class... Arguments>
  GraphVertex& emplace(std::string_view name, Arguments&&... arguments) {
    void* const place = allocate_body(sizeof(Body), alignof(Body));
    return add(*::new (place) Body(std::forward<Arguments>(arguments)...), true, name);
  }
  // Removes the last vertex and the edges to it.
  void remove_last() noexcept;
  Index add_slot(GraphSlotMaker make, void* argument);
  void connect(GraphVertex& from, GraphVertex& to);
  // Adds an edge that does not count as a predecessor of `to`.
  void append(GraphVertex& from, GraphVertex& to);
  void set_condition(GraphVertex& vertex);
  // Returns the traits of the vertex for changes.
  Traits& traits(const GraphVertex& vertex);
  void measure();
  // Declares that each run has an argument. `type`: as GraphArgument.
  void declare_argument(const char* type, bool is_const);
  bool takes_argument() const noexcept { return argument_.type != nullptr; }
  // Throws Error(kBadArgument) unless a run of the plan takes this argument.
  void check_argument(const GraphArgument& argument) const;
  // Destroys the bodies, removes all vertices, and keeps the memory. Once closed, the graph is open
  // again. pre: no run uses the plan.
  void clear() noexcept;
  // The number of calls of clear(): tells handles of removed vertices.
  Index generation() const noexcept { return generation_; }

  // --- the first run ---
  // Returns whether the first run may execute the vertices: the graph has functions and edges only,
  // without conditions, sub-graphs, traits or measurement.
  bool is_plain() const noexcept { return is_plain_; }
  // Closes the graph: it cannot change any more. Throws as freeze(). If no edge leads to an older
  // vertex, it takes O(1): such a graph has no cycle.
  void close();
  bool is_open() const noexcept { return state_ == State::kOpen; }
  // Calls f(vertex) for each vertex without a predecessor. pre: the graph is plain.
  template <class F>
  void for_each_source(F f) const {
    for (std::size_t word = 0; word < has_predecessor_.size(); ++word) {
      std::uint64_t sources = ~has_predecessor_[word];
      for (; sources != 0; sources &= sources - 1) {
        const std::size_t index = 64 * word + static_cast<unsigned>(std::countr_zero(sources));
        if (index >= vertices_.size()) return;
        f(*vertices_[index]);
      }
    }
  }
  // Returns the number of vertices without a successor.
  Index sinks() const noexcept { return size() - with_successor_; }
  VertexRunner*& runner() noexcept { return runner_; }

  // --- freezing ---
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
  // successors()[0, sources()): ready from the start, without options.
  Index sources() const noexcept { return sources_; }
  // successors()[sources(), starts()): ready from the start, with options.
  Index starts() const noexcept { return starts_; }
  bool has_options() const noexcept { return has_options_; }
  bool has_conditions() const noexcept { return has_conditions_; }
  bool is_measured() const noexcept { return is_measured_; }
  // Adds the slots of one run.
  void make_slots(GraphSlots& slots, GraphRun* run) const;
  std::size_t slot_count() const noexcept { return slots_.size(); }
  // Each run of the plan keeps a user. A user may outlive the plan: an outer graph may be destroyed
  // after its sub-graph.
  std::shared_ptr<const void> add_user() const noexcept { return users_; }
  bool has_users() const noexcept { return users_.use_count() > 1; }

  // --- in the numbers of the builder ---
  const GraphVertex& vertex(Index index) const noexcept { return *vertices_[index]; }
  const Traits& traits_of(Index vertex) const noexcept {
    static constexpr Traits kNoTraits;
    const Traits* const traits = vertex < traits_.size() ? traits_[vertex] : nullptr;
    return traits != nullptr ? *traits : kNoTraits;
  }
  // Returns the name of a vertex, or "node 3" if it has none.
  std::string name_of(Index vertex) const;
  // Returns the name in the form for messages.
  std::string escaped_name_of(Index vertex) const;

 private:
  enum class State : std::uint8_t { kOpen, kFreezing, kClosed, kFrozen };
  struct Slot {
    GraphSlotMaker make;
    void* argument;
  };

  void expect_open() const;
  Traits& make_traits(Index vertex);
  void remove_newest_edges(GraphVertex& vertex, const GraphVertex& to) noexcept;
  GraphVertex& relay_of(GraphVertex& vertex);
  void grow_edges(GraphVertex& part);
  void count_predecessors();
  void sort_topologically();
  [[noreturn]] void throw_cycle() const;
  void put_in_order();
  void lay_out();
  HeapVector<Index> order_of_run() const;
  void renumber(const HeapVector<Index>& order);

  GraphArena memory_;  // vertices, bodies, edges, traits and names
  HeapVector<GraphVertex*> vertices_;
  HeapVector<Traits*> traits_;  // per vertex; shorter, if the last vertices have none
  HeapVector<GraphBody*> destructible_;
  HeapVector<std::uint64_t> has_predecessor_;  // one bit per vertex
  HeapVector<Slot> slots_;
  HeapVector<Node> nodes_;
  HeapVector<Index> successors_;
  HeapVector<Index> order_;  // indices of vertices, in the order of the nodes
  // Per vertex.
  HeapVector<Index> strong_;   // number of strong predecessors
  HeapVector<Index> missing_;  // number of strong predecessors that sorted_ does not contain
  HeapVector<Index> sorted_;   // the vertices in topological order
  GraphArgument argument_;     // without an object: as it was declared
  VertexRunner* runner_ = nullptr;
  const std::shared_ptr<const void> users_ = std::allocate_shared<char>(HeapAllocator<char>());
  Index generation_ = 0;
  Index with_successor_ = 0;  // number of vertices with a successor
  Index sources_ = 0;
  Index starts_ = 0;
  State state_ = State::kOpen;
  bool is_plain_ = true;
  bool has_edge_to_older_ = false;
  bool has_conditions_ = false;
  bool has_options_ = false;
  bool is_measured_ = false;
};

}  // namespace jobs::inline JOBS_ABI::detail
