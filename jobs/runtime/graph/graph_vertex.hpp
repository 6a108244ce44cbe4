// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphVertex: a node of a graph as it was built: its function and its successors. It is a job, so
// that the first run of a graph queues it without any preparation (graph_first_run.hpp).
//
// Owner: the arena of a GraphPlan. The builder writes a vertex. In the first run, the worker that
// has the vertex may use its Job base, and all workers may use `missing`; all else is constant.
//
// Layout. A vertex fills one cache line, and its body follows in the next. Two successors stand in
// the vertex, up to 62 more in a block of the arena. Further successors stand in relays: vertices
// without a body, in a list. A relay is a job of its own, so thieves share a wide node.
#pragma once

#include <cstdint>
#include <new>

#include "jobs/base/atomic.hpp"
#include "jobs/runtime/graph/graph_body.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct GraphVertex;

// Runs a vertex as a job.
class VertexRunner {
 public:
  virtual void execute(GraphVertex& vertex) noexcept = 0;

 protected:
  ~VertexRunner() = default;
};

// The successors of a vertex after the second one.
struct EdgeBlock {
  GraphVertex* relay;       // next in the list of relays
  GraphVertex* last_relay;  // of a vertex with a body
  GraphVertex* successors[1];
};

struct alignas(64) GraphVertex : Job {
  using Index = std::uint32_t;
  static constexpr Index kInline = 2;
  static constexpr Index kMostSuccessors = 64;  // of one vertex or relay

  GraphVertex(VertexRunner* const& its_runner, Index its_index, bool relays) noexcept
      : Job(&GraphVertex::execute), runner(&its_runner), index(its_index), is_relay(relays) {}

  GraphBody& body() noexcept { return *std::launder(reinterpret_cast<GraphBody*>(this + 1)); }
  // Returns the next relay of this vertex or relay, or null.
  GraphVertex* next_relay() const noexcept {
    return count == kMostSuccessors ? more->relay : nullptr;
  }
  // Calls f(successor), in the order of the edges.
  template <class F>
  void for_each_successor(F f) const {
    for (const GraphVertex* part = this; part != nullptr; part = part->next_relay()) {
      for (Index i = 0; i < part->count; ++i) f(*part->successor(i));
    }
  }
  GraphVertex* successor(Index i) const noexcept {
    return i < kInline ? first[i] : more->successors[i - kInline];
  }

  VertexRunner* const* runner;
  Atomic<Index> missing{0};  // number of strong predecessors that have not ended
  Index index;               // in the order of building
  Index count = 0;           // of successors, without those of relays
  bool is_relay;
  bool is_condition = false;
  bool has_weak_predecessor = false;
  GraphVertex* first[kInline];
  EdgeBlock* more = nullptr;

 private:
  static void execute(Job& job) {
    auto& vertex = static_cast<GraphVertex&>(job);
    (*vertex.runner)->execute(vertex);
  }
};

}  // namespace jobs::inline JOBS_ABI::detail
