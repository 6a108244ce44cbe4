// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRun: one run of a task graph, made once and run again and again without allocating. Each node has a record here that is the
// job by which it is queued, so making a node ready costs a push.
//
// A worker goes from node to node in a loop, without recursion: of the nodes that the last one made ready it runs the first in
// order itself and pushes the others; if there is none it takes back what it pushed last. Successors that wait for nobody else
// are pushed as one range, of which whoever has it runs the first and puts the rest on offer before it does: half for a
// thief, half for itself, so that many leaves cost their owner no more than few steals. Everything that is ready is in a deque
// while a node runs, so that a node may wait for whatever another one does.
//
// A node with a place goes there by itself, not in a range, as soon as it is ready: as a job for one worker, or for all but the bound
// thread. Should it come up on another worker after all (stolen, or let in by its limit), that one sends it on.
//
// The end. Without conditions the last node is known: one that the plan adds behind all others. With them the run counts the
// nodes that are ready or running; it ends with the last of them.
//
// Who may touch a run that ends. A worker that has reported the end of its node (or put it aside at a limit, or sent it on) owns no part of the run,
// which may be over and gone. All it may do is ask its own deque for what it pushed (Lane::pop_if): that was pushed while it
// still owned a node, and if it is still there it is part of the run, so the run is still there, too.
#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stop_token>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/runtime/graph/graph_plan.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/spawn_options.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace graph_order {
JOBS_ORDER(kArrive, acq_rel);        // [N1] what a node did is seen by its successors; partner: itself, kLastToArrive
JOBS_ORDER(kLastToArrive, acquire);  // [N1] partner: kArrive
JOBS_ORDER(kEnd, acq_rel);           // [N2] as N1, for whoever ends a run with conditions; partner: itself
JOBS_ORDER(kHint, relaxed);          // cancels, elects: what matters travels with N1, N2
}  // namespace graph_order

class GraphRun {
 public:
  using Index = GraphPlan::Index;

  struct NodeTime {
    os::Nanoseconds start;
    os::Nanoseconds end;
    unsigned worker;
  };

  // pre: the plan is frozen, and outlives the run. `outer`: the run that this one is part of, or null.
  GraphRun(const GraphPlan& plan, const GraphRun* outer);
  ~GraphRun();
  GraphRun(const GraphRun&) = delete;
  GraphRun& operator=(const GraphRun&) = delete;

  // Throws Error(kStopped), Error(kBadArgument), std::bad_alloc: it has not started then.
  void start(std::stop_token stop);
  // Throws the first exception, or Cancelled, or Error(kNoStack) if it could not wait.
  void wait();
  // Both; Error(kNoStack) comes before any node has begun.
  void run(std::stop_token stop);
  bool is_done() const noexcept { return done_.is_set(); }

  const GraphSlots& slots() const noexcept { return slots_; }
  // The last run's, of each vertex; null unless the plan is measured.
  const NodeTime* times() const noexcept { return times_.get(); }

 private:
  // One cache line: a graph that does not fit into the caches costs one miss for each node, and one for its function.
  struct alignas(64) Record : Job {
    Record() noexcept : Job(&execute) {}

    GraphRun* run = nullptr;
    Atomic<Index> missing{0};  // predecessors that have not ended
    Index range_end = kAlone;  // with it go the successors of the same node up to there
    GraphPlan::Node node;
  };
  static constexpr Index kAlone = 0;
  static constexpr Index kAdmitted = GraphPlan::kNone;  // alone, and with a permit of its limit in hand

  // The one that was offered before it.
  static Record* below(const Record& offered) noexcept { return static_cast<Record*>(static_cast<Job*>(offered.next)); }

  struct Cancel {
    GraphRun& run;
    void operator()() const noexcept { run.cancelled_.store(true, graph_order::kHint); }
  };

  static void execute(Job& job);
  void go_on(Record* current, Lane& lane) noexcept;
  int run_body(Record& record, Lane& lane) noexcept;
  int call_measured(Record& record, Lane& lane);
  bool arrives_together(const GraphPlan::Node& node, Index join) const noexcept;
  Record* find_ready(const GraphPlan::Node& node, int choice, Record*& offered, Lane& lane) noexcept;
  Record* offer_rest(Index first, Index last, Record*& offered, Lane& lane) noexcept;
  Record& range(Index first, Index last) noexcept;
  bool may_begin(Record& record, bool has_permit, Lane& lane) noexcept;
  bool is_in_place(const Record& record, const Lane& lane) const noexcept;
  SpawnOptions options_of(const Record& record) const noexcept;
  void send(Record& record) noexcept;
  void submit_starts();
  void offer(Record& record, Record*& offered, Lane& lane) noexcept;
  void release(JobLimit& limit, Lane& lane) noexcept;
  static bool arrive(Record& record, Index count) noexcept;
  void note_ready(Index first, Index last) noexcept;
  JobLimit& limit_of(const Record& record) const noexcept;
  void finish(Lane& lane) noexcept;
  bool is_cancelled() const noexcept {
    return cancelled_.load(graph_order::kHint) || (outer_ != nullptr && outer_->is_cancelled());
  }

  Index index_of(const Record& record) const noexcept { return static_cast<Index>(&record - records_.get()); }

  const GraphPlan& plan_;
  const Index* const successors_;  // the plan's
  const GraphRun* const outer_;
  const std::unique_ptr<Record[]> records_;  // the last one is the end's
  const std::unique_ptr<NodeTime[]> times_;
  const std::unique_ptr<Atomic<bool>[]> busy_;    // with conditions: is ready or runs
  const std::unique_ptr<JobMessage[]> messages_;  // with places: of each node
  GraphSlots slots_;
  Shared* shared_ = nullptr;  // where it runs
  std::optional<StopCallback<Cancel>> stop_;
  bool started_ = false;
  Event done_;
  std::exception_ptr failure_;  // of whoever set failed_
  Atomic<bool> failed_{false};
  Atomic<bool> cancelled_{false};
  Atomic<bool> skipped_{false};                                     // a node was not run because of a stop
  alignas(kDestructiveDistance) Atomic<std::size_t> under_way_{0};  // with conditions: nodes that are ready or run
};

}  // namespace jobs::inline JOBS_ABI::detail
