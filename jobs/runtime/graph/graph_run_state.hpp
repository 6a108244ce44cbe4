// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRunState: what the caller of a run sees: its start and end, its failure, and its stop. Base
// of GraphRun and GraphFirstRun.
//
// Owner: the caller. Its calls of run(), wait() and wait_before() must not run concurrently. Any
// thread may call is_done(). The workers of the run call is_cancelled(), skip(), fail() and end().
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <stop_token>
#include <string_view>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/runtime/graph/graph_body.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace graph_order {
// [graph_run.1] the effects of a node, for its successors; partners: itself, kLastToArrive
JOBS_ORDER(kArrive, acq_rel);
JOBS_ORDER(kLastToArrive, acquire);  // [graph_run.1] partner: kArrive
// [graph_run.2] the effects of all nodes, for the end of a run with conditions; partner: itself
JOBS_ORDER(kEnd, acq_rel);
// Cancels and elects only; graph_run.1 and graph_run.2 order all data.
JOBS_ORDER(kHint, relaxed);
}  // namespace graph_order

class GraphRunState {
 public:
  // `outer`: the run that contains this run, or null.
  explicit GraphRunState(const GraphRunState* outer) noexcept : outer_(outer) {}
  GraphRunState(const GraphRunState&) = delete;
  GraphRunState& operator=(const GraphRunState&) = delete;

  // Waits for the end of the run. Throws the first exception of a node, Cancelled, or
  // Error(kNoStack) if the caller cannot wait.
  void wait() { static_cast<void>(wait_before(os::kNever, {})); }
  // As wait(). Returns false if the deadline or the stop came first; the run goes on.
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop);
  bool is_done() const noexcept { return done_.is_set(); }
  // By the owner: whether the run has started, and has not been waited for.
  bool is_started() const noexcept { return started_; }

 protected:
  struct Cancel {
    GraphRunState& run;
    void operator()() const noexcept { run.cancel(); }
  };

  ~GraphRunState() = default;
  // Aborts if the run has started and has not been waited for.
  void expect_idle() const;
  // Prepares the next run. The workers of `shared` will run it.
  void reset(Shared& shared);
  // Starts the run on a scheduler. `participant`: the context of the calling external thread, which
  // runs the first nodes itself; null: workers run all nodes. Throws Error(kStopped),
  // Error(kBadArgument) or std::bad_alloc; the run has not started then.
  virtual void start_on(Shared& shared, WorkerContext* participant, std::stop_token stop) = 0;
  // Starts the run and waits for it. An external thread takes part if `may_participate`. Throws
  // Error(kNoStack) only before the first node begins.
  void run_to_end(bool may_participate, std::stop_token stop);
  // Waits for the end of a run in progress, without interrupts.
  void wait_for_end() noexcept;

  bool is_cancelled() const noexcept {
    return cancelled_.load(graph_order::kHint) || (outer_ != nullptr && outer_->is_cancelled());
  }
  // Returns whether a recorder wanted the nodes when the run began.
  bool is_traced() const noexcept { return is_traced_; }
  void skip() noexcept { skipped_.store(true, graph_order::kHint); }
  void fail(std::exception_ptr exception) noexcept {
    if (!failed_.exchange(true, graph_order::kHint)) failure_ = std::move(exception);
    cancel();
  }
  // Whether the loop of this worker has work besides the run. An external participant has no loop.
  JOBS_COLD static bool has_other_work(const WorkerContext& context) noexcept;
  // Records a node while this object lives. `name`: empty if the node has none.
  class TracedNode {
   public:
    JOBS_COLD TracedNode(const GraphRunState& run, std::uint32_t index, const GraphBody& body,
                         std::string_view name) noexcept;
    JOBS_COLD ~TracedNode();
    TracedNode(const TracedNode&) = delete;
    TracedNode& operator=(const TracedNode&) = delete;

   private:
    const GraphRunState& run_;
    const std::uint32_t index_;
  };
  // The last access of the workers to the run.
  void end(WorkerContext& context) noexcept {
    done_.signal();
    context.finished.add(1);
  }

  const GraphRunState* const outer_;
  Shared* shared_ = nullptr;  // of the scheduler that runs it
  std::optional<StopCallback<Cancel>> stop_;
  bool started_ = false;
  Event done_;

 private:
  void cancel() noexcept { cancelled_.store(true, graph_order::kHint); }

  std::exception_ptr failure_;  // written by the worker that set failed_
  Atomic<bool> failed_{false};
  Atomic<bool> cancelled_{false};
  Plain<bool> is_traced_{false};
  Atomic<bool> skipped_{false};  // a stop prevented a node from running
};

}  // namespace jobs::inline JOBS_ABI::detail
