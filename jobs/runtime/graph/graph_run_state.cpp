// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRunState: the waits of the owner, and what both kinds of runs ask the worker.
#include "jobs/runtime/graph/graph_run_state.hpp"

#include <chrono>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/parallel/external_participant.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

void GraphRunState::expect_idle() const {
  if (started_)
    contract_violation("TaskGraph", this,
                       "started while it runs: wait() first, or use another Run");
}

void GraphRunState::reset(Shared& shared) {
  done_.reset();
  failed_.store(false, graph_order::kHint);
  cancelled_.store(false, graph_order::kHint);
  is_traced_ = observer_of_parts() != nullptr;
  skipped_.store(false, graph_order::kHint);
  shared_ = &shared;
}

void GraphRunState::wait_for_end() noexcept {
  if (!started_) return;
  const WaitingThread here;
  const InterruptShield shield(here.host().current());
  done_.wait();
}

bool GraphRunState::wait_before(os::Nanoseconds deadline, const std::stop_token& stop) {
  if (!started_) contract_violation("TaskGraph", this, "waited for without a start");
  struct End {
    ~End() {
      if (goes_on) return;
      run.started_ = false;
      run.stop_.reset();
    }
    GraphRunState& run;
    bool goes_on = false;
  };
  {
    End end{*this};
    const std::chrono::steady_clock::time_point when{std::chrono::nanoseconds(deadline)};
    end.goes_on =
        !wait_or_cancel(done_, Cancel{*this}, [&] { return done_.wait_until(when, stop); });
    if (end.goes_on) return false;
  }
  if (failed_.load(graph_order::kHint)) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (skipped_.load(graph_order::kHint))
    throw Cancelled("TaskGraph: stopped before all nodes had run");
  return true;
}

void GraphRunState::run_to_end(bool may_participate, std::stop_token stop) {
  if (may_participate) {
    if (const ExternalParticipant participant; participant.context() != nullptr) {
      start_on(participant.context()->shared(), participant.context(), std::move(stop));
      wait();
      return;
    }
  }
  const WaitingThread here;
  // The wait can fail here, and not later: nodes may refer to the caller's frame.
  here.host().prepare_wait();
  start_on(current_shared(), nullptr, std::move(stop));
  wait();
}

GraphRunState::TracedNode::TracedNode(const GraphRunState& run, std::uint32_t index,
                                      const GraphBody& body, std::string_view name) noexcept
    : run_(run), index_(index) {
  if (TraceObserver* const recorder = observer_of_parts())
    recorder->begin_part(TraceEvent::kNodeBegin, reinterpret_cast<std::uintptr_t>(&run_), index,
                         code_of_node(body), name);
}

GraphRunState::TracedNode::~TracedNode() {
  trace(trace_observer(), TraceEvent::kNodeEnd, reinterpret_cast<std::uintptr_t>(&run_), index_);
}

bool GraphRunState::has_other_work(const WorkerContext& context) noexcept {
  return !context.is_external() && context.worker()->has_other_work();
}

}  // namespace jobs::inline JOBS_ABI::detail
