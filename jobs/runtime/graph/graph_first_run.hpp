// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphFirstRun: the first run of a plain graph (GraphPlan::is_plain). It executes the vertices as
// they were built, without the layout of a GraphPlan: a graph that is built and run once in every
// frame pays for no preparation.
//
// Owner: a TaskGraph, which keeps it over GraphPlan::clear(). The owner calls run() and clear(),
// one at a time. Workers call all private functions.
//
// Protocol of a worker, a loop without recursion:
//
//   step 1: run the body of the vertex
//   step 2: if the vertex has a relay, offer it
//   step 3: arrive at the successors; keep the first ready successor and offer the other ready
//           successors. A vertex without successors arrives at the vertex `end_`
//   step 4: without a ready vertex, take back the newest offer
//   step 5: continue with step 1, or return to the worker's loop
//
// A relay stands for further successors of a vertex, and is offered before them: a thief takes it
// first. The vertices without predecessors are the successors of the root, which is a relay, too.
//
// Invariant. While a node runs, all other ready nodes stand in a deque or behind a relay in a
// deque. A node may therefore wait for the effects of any other ready node.
//
// Access to a run that ends. The rules of graph_run.hpp apply: the last arrival of a vertex gives
// the run up. Until then the worker may read the vertices that it has offered: the run has not
// ended, and the vertices are constant except for `missing`.
#pragma once

#include <stop_token>

#include "jobs/base/heap.hpp"
#include "jobs/runtime/graph/graph_plan.hpp"
#include "jobs/runtime/graph/graph_run_state.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GraphFirstRun final : public GraphRunState,
                            public HeapObject<GraphFirstRun>,
                            private VertexRunner {
 public:
  using Index = GraphPlan::Index;

  // pre: the plan outlives the run.
  explicit GraphFirstRun(GraphPlan& plan);
  ~GraphFirstRun() { wait_for_end(); }

  // Sets the argument of the run. Throws Error(kBadArgument) if the plan takes another one.
  void set_argument(const GraphArgument& argument);
  // Closes the graph, runs it, and waits for its end. Throws as GraphPlan::close() and
  // GraphRun::run(). pre: the plan is plain, and is not used up.
  void run(std::stop_token stop);
  // Returns whether a run has started since the last clear(). The vertices have no counts of their
  // predecessors any more.
  bool is_used() const noexcept { return is_used_; }
  // Before GraphPlan::clear().
  void clear() noexcept;
  GraphSlots& slots() noexcept { return slots_; }

 private:
  void prepare();
  void start_on(Shared& shared, WorkerContext* participant, std::stop_token stop) override;
  void execute(GraphVertex& vertex) noexcept override;
  void advance(GraphVertex* current, WorkerContext& context) noexcept;
  void run_body(GraphVertex& vertex) noexcept;
  void call_body(GraphVertex& vertex) noexcept;
  void call_traced(GraphVertex& vertex) noexcept;
  GraphVertex* find_ready(const GraphVertex& vertex, GraphVertex*& offered,
                          WorkerContext& context) noexcept;
  void offer(GraphVertex& vertex, GraphVertex*& offered, WorkerContext& context) noexcept;
  bool arrives_alone_at(const GraphVertex& vertex, const GraphVertex& join) const noexcept;
  static bool arrive(GraphVertex& vertex, Index count) noexcept;

  GraphPlan& plan_;
  VertexRunner* const runner_ = this;
  GraphVertex root_;  // before all vertices
  GraphVertex end_;   // after all vertices
  GraphSlots slots_;
  bool is_prepared_ = false;
  bool is_used_ = false;
  bool has_participant_ = false;
};

}  // namespace jobs::inline JOBS_ABI::detail
