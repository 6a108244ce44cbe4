// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRun: the start by the owner. graph_run_advance.cpp has the part of the workers.
#include "jobs/runtime/graph/graph_run.hpp"

#include <utility>

#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/submit.hpp"

namespace jobs::inline JOBS_ABI::detail {

GraphRun::GraphRun(const GraphPlan& plan, const GraphRun* outer, GraphSlots* slots)
    : GraphRunState(outer),
      plan_(plan),
      successors_(plan.successors()),
      records_(plan.size() + std::size_t{1}),
      times_(plan.is_measured() ? HeapArray<NodeTime>(plan.size()) : HeapArray<NodeTime>()),
      busy_(plan.has_conditions() ? HeapArray<Atomic<bool>>(plan.size())
                                  : HeapArray<Atomic<bool>>()),
      messages_(plan.has_options() ? HeapArray<JobMessage>(plan.size()) : HeapArray<JobMessage>()),
      user_(plan.add_user()),
      slots_(slots != nullptr && slots->size() == plan.slot_count() ? *slots : own_slots_) {
  if (&slots_ == &own_slots_) plan.make_slots(own_slots_, this);
  for (Index i = 0; i <= plan.size(); ++i) {
    Record& record = records_[i];
    record.run = this;
    record.node = plan.node(i);
    // No other thread has access yet.
    record.missing.store(record.node.predecessors, std::memory_order_relaxed);
  }
}

GraphRun::~GraphRun() { wait_for_end(); }

void GraphRun::set_argument(const GraphArgument& argument) {
  expect_idle();
  plan_.check_argument(argument);
  slots_.set_argument(argument);
}

void GraphRun::start(std::stop_token stop) { start_on(current_shared(), nullptr, std::move(stop)); }

void GraphRun::start_on(Shared& shared, WorkerContext* participant, std::stop_token stop) {
  expect_idle();
  for (Index i = 0; messages_ && i < plan_.size(); ++i)
    shared.check_place(plan_.traits_of(i).place);
  reset(shared);
  observes_ = times_ || is_traced();
  if (plan_.size() == 0) {
    done_.signal();
    started_ = true;
    return;
  }
  for (Index i = 0; times_ && i < plan_.size(); ++i) times_[i].end = 0;
  if (plan_.has_conditions()) {
    // In the last run, some predecessors of a join may not have run: a condition chose another
    // branch.
    for (Index i = 0; i < plan_.size(); ++i)
      records_[i].missing.store(records_[i].node.predecessors, graph_order::kHint);
    pending_.store(0, graph_order::kHint);
    record_ready(0, plan_.starts());
  }
  nodes_in_a_row_ = participant != nullptr ? kWithParticipant
                    : messages_            ? kNodesInARowWithOptions
                                           : kNodesInARow;
  if (stop.stop_possible()) stop_.emplace(std::move(stop), Cancel{*this});
  try {
    if (participant != nullptr) {
      shared.admit();
    } else {
      submit_starts();
    }
  } catch (...) {
    stop_.reset();
    if (plan_.has_conditions()) {
      for (Index i = 0; i < plan_.size(); ++i) busy_[i].store(false, graph_order::kHint);
    }
    throw;
  }
  started_ = true;
  if (participant != nullptr) execute(range(0, plan_.sources()));  // the only caller of advance()
}

// The scheduler may refuse the first submission only: it counts as the run. The later submissions
// are parts of the run.
void GraphRun::submit_starts() {
  const Index starts = plan_.starts();
  Index next = plan_.sources();
  for (Index i = next; i < starts; ++i) records_[successors_[i]].range_end = kAlone;
  if (next != 0) {
    submit(*shared_, range(0, next));
  } else {
    Record& first = records_[successors_[next++]];
    first.node.is_sent = true;
    shared_->submit_with_options(first, messages_[index_of(first)], options_of(first));
  }
  for (; next < starts; ++next) send(records_[successors_[next]]);
}

void GraphRun::run(std::stop_token stop) {
  run_to_end(!messages_ && plan_.sources() != 0, std::move(stop));
}

}  // namespace jobs::inline JOBS_ABI::detail
