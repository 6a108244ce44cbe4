// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphFirstRun: the start by the owner, and the loop of a worker from vertex to vertex.
#include "jobs/runtime/graph/graph_first_run.hpp"

#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "jobs/base/chaos.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/submit.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// After this number of nodes, the worker's loop gets a turn if it has other work.
constexpr unsigned kNodesInARow = 64;

// Returns the vertex that was offered before this vertex.
GraphVertex* below(const GraphVertex& offered) noexcept {
  return static_cast<GraphVertex*>(static_cast<Job*>(offered.next));
}

}  // namespace

GraphFirstRun::GraphFirstRun(GraphPlan& plan)
    : GraphRunState(nullptr),
      plan_(plan),
      root_(runner_, GraphPlan::kNone, true),
      end_(runner_, GraphPlan::kNone, true) {
  plan.runner() = this;
}

void GraphFirstRun::clear() noexcept {
  slots_.clear();
  is_prepared_ = is_used_ = false;
}

void GraphFirstRun::set_argument(const GraphArgument& argument) {
  expect_idle();
  plan_.check_argument(argument);
  slots_.set_argument(argument);
}

void GraphFirstRun::run(std::stop_token stop) {
  expect_idle();
  if (!is_prepared_) prepare();
  run_to_end(true, std::move(stop));
}

void GraphFirstRun::prepare() {
  plan_.close();
  slots_.clear();
  plan_.make_slots(slots_, nullptr);
  root_.count = 0;
  root_.more = nullptr;
  plan_.for_each_source([this](GraphVertex& source) {
    plan_.append(root_, source);
    source.missing.store(1, std::memory_order_relaxed);  // No run is in progress.
  });
  end_.missing.store(plan_.sinks(), std::memory_order_relaxed);
  is_prepared_ = true;
}

void GraphFirstRun::start_on(Shared& shared, WorkerContext* participant, std::stop_token stop) {
  reset(shared);
  if (plan_.size() == 0) {
    done_.signal();
    started_ = is_used_ = true;
    return;
  }
  if (stop.stop_possible()) stop_.emplace(std::move(stop), Cancel{*this});
  has_participant_ = participant != nullptr;
  is_used_ = true;
  try {
    if (participant != nullptr) {
      shared.admit();
    } else {
      submit(shared, root_);
    }
  } catch (...) {
    is_used_ = false;
    stop_.reset();
    throw;
  }
  started_ = true;
  if (participant != nullptr) execute(root_);
}

void GraphFirstRun::execute(GraphVertex& vertex) noexcept {
  WorkerContext& context = *this_context();
  if (has_participant_) [[unlikely]]
    context.serve(&done_);
  advance(&vertex, context);
}

// Runs `current`, and then the vertices that become ready. `offered`: the vertices that this call
// has pushed, newest first, linked by `next`.
void GraphFirstRun::advance(GraphVertex* current, WorkerContext& context) noexcept {
  GraphVertex* offered = nullptr;
  Index deferred = 0;  // number of deferred arrivals at the only successor of the last vertices
  for (unsigned turns = 1;; ++turns) {
    if (!current->is_relay) run_body(*current);
    GraphVertex* next = nullptr;
    if (current->count <= 1) {
      GraphVertex& join = current->count == 1 ? *current->first[0] : end_;
      // If the newest offer precedes `join`, too, then `join` does not become ready before it ends.
      if (offered != nullptr && turns < kNodesInARow && arrives_alone_at(*offered, join) &&
          context.pop_if(*offered)) {
        ++deferred;
        current = std::exchange(offered, below(*offered));
        continue;
      }
      if (arrive(join, deferred + 1)) next = &join;
      deferred = 0;
      if (next == &end_) return end(context);
    } else {
      next = find_ready(*current, offered, context);
    }
    const bool leaves = turns >= kNodesInARow && has_other_work(context);
    if (turns >= kNodesInARow) turns = 0;
    if (next == nullptr) {
      if (offered == nullptr || leaves || !context.pop_if(*offered)) return;
      next = std::exchange(offered, below(*offered));
    } else if (leaves) {
      offer(*next, offered, context);
      return;
    }
    current = next;
  }
}

// Runs the body of a node, or skips it after a stop.
void GraphFirstRun::run_body(GraphVertex& vertex) noexcept {
  if (is_cancelled()) [[unlikely]]
    return skip();
  if (is_traced()) [[unlikely]]
    return call_traced(vertex);
  call_body(vertex);
}

JOBS_ALWAYS_INLINE void GraphFirstRun::call_body(GraphVertex& vertex) noexcept {
  run_guarded([&] { vertex.body().call(slots_); },
              [this](std::exception_ptr exception) { fail(std::move(exception)); });
}

JOBS_COLD void GraphFirstRun::call_traced(GraphVertex& vertex) noexcept {
  const TracedNode node(*this, vertex.index, vertex.body(), plan_.traits_of(vertex.index).name);
  call_body(vertex);
}

// Arrives at the successors of a vertex that has ended. Returns the first ready successor, or null,
// and offers the other ready successors. Without a ready successor, the last arrival is the last
// access of the caller to the run.
GraphVertex* GraphFirstRun::find_ready(const GraphVertex& vertex, GraphVertex*& offered,
                                       WorkerContext& context) noexcept {
  if (GraphVertex* const relay = vertex.next_relay()) offer(*relay, offered, context);
  GraphVertex* next = nullptr;
  // From the last to the first: the worker takes the offers back in order.
  for (Index i = vertex.count; i-- > 0;) {
    GraphVertex& successor = *vertex.successor(i);
    if (!arrive(successor, 1)) continue;
    if (GraphVertex* const later = std::exchange(next, &successor)) offer(*later, offered, context);
  }
  return next;
}

bool GraphFirstRun::arrives_alone_at(const GraphVertex& vertex,
                                     const GraphVertex& join) const noexcept {
  return vertex.count == 0 ? &join == &end_ : vertex.count == 1 && vertex.first[0] == &join;
}

// Reports the end of `count` predecessors. Returns true if all predecessors have arrived. The last
// one needs no read-modify-write, because no other thread will write the count.
bool GraphFirstRun::arrive(GraphVertex& vertex, Index count) noexcept {
  chaos::inject_delay();
  return vertex.missing.load(graph_order::kLastToArrive) == count ||
         vertex.missing.fetch_sub(count, graph_order::kArrive) == count;
}

void GraphFirstRun::offer(GraphVertex& vertex, GraphVertex*& offered,
                          WorkerContext& context) noexcept {
  vertex.next = offered;
  try {
    context.push(vertex);
    offered = &vertex;
  } catch (const std::bad_alloc&) {
    shared_->resubmit(vertex);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
