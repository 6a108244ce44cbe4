// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRun: one run of a task graph. It is constructed once, and may run any number of times
// without an allocation. Each node has a Record, which is the job that queues the node. Making a
// node ready thus costs one push.
//
// Owner: a TaskGraph::Run of the user, or the slot of a sub-graph. The owner calls start(), wait()
// and run(); these calls must not run concurrently. Any thread may call is_done(). Workers call all
// private functions.
//
// Protocol of a worker, a loop without recursion:
//
//   step 1: if the record stands for a range, offer the remaining nodes of the range: one half for
//           a thief, the other half for this worker
//   step 2: run the node
//   step 3: arrive at its successors; of the nodes that become ready, keep the first in order and
//           offer the other ready nodes
//   step 4: without a ready node, take back the newest offer
//   step 5: continue with step 1, or return to the worker's loop
//
// Successors without another predecessor are offered as one range. The halving in step 1 bounds the
// cost of many leaves for their owner: a few thefts take them all.
//
// Invariant. While a node runs, all other ready nodes stand in a deque. A node may therefore wait
// for the effects of any other ready node.
//
// Options. A node with a place or a job priority never stands in a range. When it is ready, the run
// sends it to the queue of a job with these options: the messages of one worker, or the shared
// queue of its priority. If it appears on another worker after all, by a theft or by a permit of
// its limit, this worker sends it on. A node with a priority runs only from that queue (`is_sent`).
//
// End. Without conditions, the plan adds a node after all other nodes; it ends the run. With
// conditions, the run counts the nodes that are ready or running, and the last of them ends it.
//
// Access to a run that ends. A worker gives up its node when it reports the node's end, queues the
// node at a limit, or sends it on. The run may then end and be destroyed at any moment. The worker
// may only request its own offers from its own deque (WorkerContext::pop_if). Proof: the worker
// pushed each offer while it still had a node. An offer that is still in the deque is an unfinished
// part of the run, so the run still exists.
//
// jobs/runtime/graph/README.md lists the rejected alternatives.
#pragma once

#include <memory>
#include <stop_token>

#include "jobs/base/atomic.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/os.hpp"
#include "jobs/runtime/graph/graph_plan.hpp"
#include "jobs/runtime/graph/graph_run_state.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/spawn_options.hpp"

namespace jobs::inline JOBS_ABI::detail {

class GraphRun final : public GraphRunState, public HeapObject<GraphRun> {
 public:
  using Index = GraphPlan::Index;

  struct NodeTime {
    os::Nanoseconds start;
    os::Nanoseconds end;
    unsigned worker;  // kCaller: the external thread that called run()
  };
  static constexpr unsigned kCaller = ~0u;

  // pre: the plan is frozen and outlives the run. `outer`: the run that contains this run, or null.
  // `slots`: the slots of the first run of the plan, which this run continues to use, or null.
  GraphRun(const GraphPlan& plan, const GraphRun* outer, GraphSlots* slots = nullptr);
  ~GraphRun();

  // Sets the argument of the next run. Throws Error(kBadArgument) if the plan takes another one.
  void set_argument(const GraphArgument& argument);
  // Starts the run. Throws Error(kStopped), Error(kBadArgument) or std::bad_alloc; the run has not
  // started then.
  void start(std::stop_token stop);
  // Starts the run and waits for it. An external thread takes part, unless nodes have options.
  // Throws Error(kNoStack) only before the first node begins.
  void run(std::stop_token stop);

  const GraphSlots& slots() const noexcept { return slots_; }
  // Returns the times of the last run, per vertex; null unless the plan is measured.
  const NodeTime* times() const noexcept { return times_.get(); }

 private:
  // The job of one node. It fills one cache line: each node of a graph larger than the caches costs
  // one cache miss, and one more for its function.
  struct alignas(64) Record : Job {
    Record() noexcept : Job(&execute) {}

    GraphRun* run = nullptr;
    Atomic<Index> missing{0};  // number of predecessors that have not ended
    // The record stands for successors()[position, range_end), or has one of the two values below.
    Index range_end = kAlone;
    GraphPlan::Node node;
  };
  // After this number of nodes, the worker's loop gets a turn if it has other work. Ready fibers
  // and jobs from outside must not wait until a whole graph has run.
  static constexpr unsigned kNodesInARow = 64;
  // In a graph with options, the worker checks for other work after each node: other nodes may wait
  // for a job that was sent to this worker.
  static constexpr unsigned kNodesInARowWithOptions = 1;
  // As kNodesInARow, in a run in which its caller takes part.
  static constexpr unsigned kWithParticipant = kNodesInARow + 1;

  static constexpr Index kAlone = 0;  // the node alone
  static constexpr Index kAdmitted =
      GraphPlan::kNone;  // the node alone, with a permit of its limit

  // Returns the record that was offered before this record.
  static Record* below(const Record& offered) noexcept {
    return static_cast<Record*>(static_cast<Job*>(offered.next));
  }

  void start_on(Shared& shared, WorkerContext* participant, std::stop_token stop) override;
  static void execute(Job& job);
  void advance(Record* current, WorkerContext& context) noexcept;
  int run_body(Record& record, WorkerContext& context) noexcept;
  int call_observed(Record& record, WorkerContext& context);
  int call_measured(Record& record, WorkerContext& context);
  bool arrives_together(const GraphPlan::Node& node, Index join) const noexcept;
  Record* find_ready(const GraphPlan::Node& node, int choice, Record*& offered,
                     WorkerContext& context) noexcept;
  Record* offer_remaining(Index first, Index last, Record*& offered,
                          WorkerContext& context) noexcept;
  Record& range(Index first, Index last) noexcept;
  bool may_begin(Record& record, bool has_permit, WorkerContext& context) noexcept;
  bool may_run_here(const Record& record, const WorkerContext& context) const noexcept;
  SpawnOptions options_of(const Record& record) const noexcept;
  void send(Record& record) noexcept;
  void submit_starts();
  void offer(Record& record, Record*& offered, WorkerContext& context) noexcept;
  void release(JobLimit& limit, WorkerContext& context) noexcept;
  static bool arrive(Record& record, Index count) noexcept;
  void record_ready(Index first, Index last) noexcept;
  JobLimit& limit_of(const Record& record) const noexcept;
  void finish(WorkerContext& context) noexcept;

  Index index_of(const Record& record) const noexcept {
    return static_cast<Index>(&record - records_.get());
  }

  const GraphPlan& plan_;
  const Index* const successors_;    // of the plan
  const HeapArray<Record> records_;  // the last record belongs to the node that ends the run
  const HeapArray<NodeTime> times_;
  bool observes_ = false;                   // is measured or recorded
  const HeapArray<Atomic<bool>> busy_;      // with conditions: the node is ready or runs
  const HeapArray<JobMessage> messages_;    // with options: one per node
  const std::shared_ptr<const void> user_;  // of the plan
  GraphSlots own_slots_;
  GraphSlots& slots_;
  // After this number of nodes, the worker's loop gets a turn. kWithParticipant: the caller of
  // run() runs nodes, too. One word for both, because each node reads it.
  unsigned nodes_in_a_row_ = 0;
  // With conditions: the number of nodes that are ready or running.
  alignas(kDestructiveDistance) Atomic<std::size_t> pending_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
