// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// GraphRun: the loop of a worker from node to node. graph_run.hpp has the protocol and the rules of
// access.
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "jobs/base/chaos.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/graph/graph_run.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

void GraphRun::execute(Job& job) {
  auto& record = static_cast<Record&>(job);
  GraphRun& run = *record.run;
  WorkerContext& context = *this_context();
  if (run.nodes_in_a_row_ == kWithParticipant) [[unlikely]]
    context.serve(&run.done_);
  run.advance(&record, context);
}

// Runs `current`, and then the nodes that become ready. `offered`: the records that this call has
// pushed, newest first, linked by `next`.
void GraphRun::advance(Record* current, WorkerContext& context) noexcept {
  const unsigned nodes_in_a_row = nodes_in_a_row_;
  Record* offered = nullptr;
  Index deferred = 0;  // number of deferred arrivals at the only successor of the last nodes
  for (unsigned turns = 1;; ++turns) {
    const GraphPlan::Node& node = current->node;
    if (node.body == nullptr) return finish(context);

    Record* remaining = nullptr;
    const bool has_permit = current->range_end == kAdmitted;
    if (!has_permit && node.position + 1 < current->range_end) {
      remaining = offer_remaining(node.position + 1, current->range_end, offered, context);
      current->range_end = kAlone;
    }

    Record* next = nullptr;
    if (!node.is_restricted || may_begin(*current, has_permit, context)) [[likely]] {
      const int choice = run_body(*current, context);
      // One successor, which waits for other predecessors, too.
      if (node.joins + 1 == node.last && node.first == node.joins && !busy_) {
        const Index join = successors_[node.first];
        if (remaining != nullptr && remaining == offered && turns < nodes_in_a_row &&
            arrives_together(remaining->node, join) && context.pop_if(*remaining)) {
          ++deferred;
          offered = below(*remaining);
          current = remaining;
          continue;
        }
        if (arrive(records_[join], deferred + 1)) next = &records_[join];
        deferred = 0;
        // One successor, without another predecessor.
      } else if (node.first + 1 == node.joins && node.joins == node.last && !busy_) {
        next = &range(node.first, node.joins);
      } else {
        next = find_ready(node, choice, offered, context);
      }
    }
    const bool leaves = turns >= nodes_in_a_row && has_other_work(context);
    if (turns >= nodes_in_a_row) turns = 0;
    if (next == nullptr) {
      if (offered == nullptr || leaves || !context.pop_if(*offered)) return;
      next = offered;
      offered = below(*offered);
    } else if (leaves) {
      offer(*next, offered, context);
      return;
    }
    current = next;
  }
}

// Returns false if it has sent the node to its queue, or if the node waits for a permit. The node
// then does not belong to the caller.
bool GraphRun::may_begin(Record& record, bool has_permit, WorkerContext& context) noexcept {
  if (record.node.has_options) {
    if (!may_run_here(record, context)) {
      send(record);
      return false;
    }
    record.node.is_sent = false;  // If the limit queues the node, it is sent again.
  }
  return !record.node.has_limit || has_permit || limit_of(record).acquire(record);
}

JOBS_NOINLINE bool GraphRun::may_run_here(const Record& record,
                                          const WorkerContext& context) const noexcept {
  const SpawnOptions options = options_of(record);
  if (options.priority != Priority::kNormal && !record.node.is_sent) return false;
  if (context.is_external()) return options.on.kind == Place::Kind::kAnywhere;
  return shared_->is_at(options.on, *context.worker());
}

SpawnOptions GraphRun::options_of(const Record& record) const noexcept {
  const GraphPlan::Traits& traits = plan_.traits_of(plan_.vertex_index(index_of(record)));
  return {.on = traits.place, .priority = traits.job_priority};
}

void GraphRun::send(Record& record) noexcept {
  record.node.is_sent = true;
  shared_->resubmit_with_options(record, messages_[index_of(record)], options_of(record));
}

// Offers the nodes at successors()[first, last): the upper half for a thief, if thieves exist and
// the deque is empty, and the remaining nodes for this worker to take back. Returns the record of
// the latter.
GraphRun::Record* GraphRun::offer_remaining(Index first, Index last, Record*& offered,
                                            WorkerContext& context) noexcept {
  if (last - first > 1 && context.should_split()) {
    const Index middle = first + (last - first) / 2;
    offer(range(middle, last), offered, context);
    last = middle;
  }
  Record& remaining = range(first, last);
  offer(remaining, offered, context);
  return &remaining;
}

// Runs the body of a node, or skips it after a stop. Returns the choice of a condition.
int GraphRun::run_body(Record& record, WorkerContext& context) noexcept {
  // Resets the count for the next run of the node. With conditions, arrivals for that run may come
  // before this node begins; find_ready() then resets the count when it makes the node ready.
  if (!busy_) [[likely]]
    record.missing.store(record.node.predecessors, graph_order::kHint);
  int choice = GraphBody::kNoChoice;
  if (is_cancelled()) [[unlikely]] {
    skip();
  } else {
    run_guarded(
        [&] {
          choice = observes_ ? call_observed(record, context) : record.node.body->call(slots_);
        },
        [this](std::exception_ptr exception) { fail(std::move(exception)); });
  }
  if (record.node.has_limit) [[unlikely]]
    release(limit_of(record), context);
  if (busy_) [[unlikely]]
    busy_[index_of(record)].store(false, graph_order::kHint);
  return choice;
}

// The run is measured or recorded.
JOBS_NOINLINE int GraphRun::call_observed(Record& record, WorkerContext& context) {
  if (!is_traced()) return call_measured(record, context);
  const Index vertex = plan_.vertex_index(index_of(record));
  const TracedNode node(*this, vertex, *record.node.body, plan_.traits_of(vertex).name);
  return times_ ? call_measured(record, context) : record.node.body->call(slots_);
}

JOBS_NOINLINE int GraphRun::call_measured(Record& record, WorkerContext& context) {
  struct Watch {
    ~Watch() { time.end = os::now(); }
    NodeTime& time;
  };
  NodeTime& time = times_[plan_.vertex_index(index_of(record))];
  time = {os::now(), 0, context.is_external() ? kCaller : context.worker()->index()};
  const Watch watch{time};
  return record.node.body->call(slots_);
}

// Arrives at the successors of `node`, which has ended. Returns the first in order of the nodes
// that become ready, or null, and offers the other ready nodes. Without conditions, the last
// arrival is the caller's last access to the run, unless a node is ready.
GraphRun::Record* GraphRun::find_ready(const GraphPlan::Node& node, int choice, Record*& offered,
                                       WorkerContext& context) noexcept {
  const bool counts = static_cast<bool>(busy_);
  // Reads all data of the node and the run that it needs: the last arrival may end both.
  const Index* const successors = successors_;
  const Index first = node.first, joins = node.joins, early = joins + node.early, last = node.last;
  Record* const records = records_.get();
  Record* next = nullptr;
  if (node.is_condition) {
    const auto chosen = static_cast<Index>(choice);
    if (choice >= 0 && chosen < last - first) {
      record_ready(first + chosen, first + chosen + 1);
      next = &records[successors[first + chosen]];
      next->missing.store(next->node.predecessors, graph_order::kHint);
      next->range_end = kAlone;
    }
  } else {
    // Visits the successors from the last in order to the first. Each ready node replaces the
    // current `next`, which is offered. Thus the worker takes the offers back in order.
    const auto put_first = [&](Record& record) {
      if (Record* const later = std::exchange(next, &record)) offer(*later, offered, context);
    };
    const auto arrive_from = [&](Index begin, Index end) {
      for (Index i = end; i-- > begin;) {
        Record& record = records[successors[i]];
        if (!arrive(record, 1)) continue;
        if (counts) {
          record_ready(i, i + 1);
          record.missing.store(record.node.predecessors, graph_order::kHint);
        }
        put_first(record);
      }
    };
    arrive_from(early, last);
    if (first < joins) {
      if (counts) record_ready(first, joins);
      put_first(range(first, joins));
    }
    arrive_from(joins, early);
  }
  if (counts && pending_.fetch_sub(1, graph_order::kEnd) == 1) finish(context);
  return next;
}

// Returns true if the caller may defer its arrival at `join` until `node` has run: `join` waits for
// `node` as well, so it does not become ready any later.
bool GraphRun::arrives_together(const GraphPlan::Node& node, Index join) const noexcept {
  return node.first == node.joins && node.joins + 1 == node.last && !node.has_limit &&
         successors_[node.first] == join;
}

// Reports the end of `count` predecessors. Returns true if all predecessors have arrived. The last
// one needs no read-modify-write, because no other thread will write the count.
bool GraphRun::arrive(Record& record, Index count) noexcept {
  chaos::inject_delay();
  if (record.missing.load(graph_order::kLastToArrive) != count &&
      record.missing.fetch_sub(count, graph_order::kArrive) != count) {
    return false;
  }
  record.range_end = kAlone;
  __builtin_prefetch(record.node.body);
  return true;
}

// With conditions: records that nodes become ready. Aborts if a node is ready or running already,
// because it would stand in two queues.
void GraphRun::record_ready(Index first, Index last) noexcept {
  for (Index i = first; i < last; ++i) {
    const Index index = successors_[i];
    if (busy_[index].exchange(true, graph_order::kHint)) {
      std::string what = plan_.escaped_name_of(plan_.vertex_index(index));
      what += " is to run while it runs, or is ready, already";
      contract_violation("TaskGraph", this, what.c_str());
    }
  }
  pending_.fetch_add(last - first, graph_order::kHint);
}

// Returns the record that queues the nodes at successors()[first, last) together.
GraphRun::Record& GraphRun::range(Index first, Index last) noexcept {
  Record& record = records_[successors_[first]];
  record.range_end = last;
  return record;
}

void GraphRun::offer(Record& record, Record*& offered, WorkerContext& context) noexcept {
  if (record.node.has_options && !may_run_here(record, context)) [[unlikely]]
    return send(record);
  record.next = offered;
  try {
    context.push(record);
    offered = &record;
  } catch (const std::bad_alloc&) {
    shared_->resubmit(record);
  }
}

void GraphRun::release(JobLimit& limit, WorkerContext& context) noexcept {
  auto* const record = static_cast<Record*>(limit.release());
  if (record == nullptr) return;
  record->range_end = kAdmitted;
  Record* unused = nullptr;
  GraphRun& run = *record->run;
  if (run.shared_ == &context.shared()) {
    run.offer(*record, unused, context);
  } else {
    run.shared_->resubmit(*record);
  }
}

JobLimit& GraphRun::limit_of(const Record& record) const noexcept {
  return *plan_.traits_of(plan_.vertex_index(index_of(record))).limit;
}

void GraphRun::finish(WorkerContext& context) noexcept {
  records_[plan_.end()].missing.store(plan_.node(plan_.end()).predecessors, graph_order::kHint);
  end(context);
}

}  // namespace jobs::inline JOBS_ABI::detail
