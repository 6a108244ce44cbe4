// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunReader: waits, wake-ups, loops, deadlines and locks.
#include <algorithm>
#include <utility>

#include "jobs/fiber/fiber_core.hpp"
#include "jobs/trace/advice/run_reader.hpp"
#include "jobs/wait_kind.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr std::uint64_t kLeastTurn = 10'000;                // nanoseconds
constexpr std::uint64_t kNoFiber = std::uint64_t{1} << 63;  // the key of a fiber without an id

// What a wait means for the graph.
enum class Edge : std::uint8_t {
  kNone,     // the order of locks, and of yields, is not a dependency
  kJoin,     // all tasks that the waiter has created, too
  kCause,    // the code that wakes the waiter
  kLatency,  // time passes
};

Edge edge_of(std::uint64_t wait) noexcept {
  const auto kind = static_cast<unsigned>(wait >> 56);
  if (kind == jobs::detail::kTraceYield) return Edge::kNone;
  switch (static_cast<WaitKind>(kind)) {
    case WaitKind::kMutex:
    case WaitKind::kSharedMutex:
      return Edge::kNone;
    case WaitKind::kCounter:
    case WaitKind::kJoin:
    case WaitKind::kJob:
    case WaitKind::kLatch:
      return Edge::kJoin;
    case WaitKind::kSleep:
    case WaitKind::kBlocking:
    case WaitKind::kIo:
      return Edge::kLatency;
    default:
      return Edge::kCause;
  }
}

}  // namespace

// --- waits ---------------------------------------------------------------------------------------

// The creation of that fiber is older than the events.
std::uint32_t RunReader::code_of_old_fiber(std::uint64_t fiber) {
  const auto found = fiber_names_.find(fiber);
  if (found != fiber_names_.end()) return code_named("Fiber " + found->second);
  return unknown_code_ = code_named("(a job that began before the events)");
}

// The begin of the task of that fiber is older than the events.
void RunReader::adopt(Track& track, const RunEvent& event) {
  Origin origin;
  take(created_, event.first, origin);
  origin.track = kNone;  // no measurement
  if (origin.code == kNone) origin.code = code_of_old_fiber(event.first);
  track.has_searched = true;
  begin_task(track, event, origin.code, origin);
  tasks_.back().is_fiber = true;
}

void RunReader::suspend(Track& track, const RunEvent& event) {
  if (track.is_worker && track.current == kNone && event.first != 0) adopt(track, event);
  Task* const task = event.first == 0 && !track.is_worker ? current_or_thread(track, event)
                     : track.current != kNone             ? &tasks_[track.current]
                                                          : nullptr;
  const bool yields = event.second >> 56 == jobs::detail::kTraceYield;
  if (task != nullptr && yields) ++summary_.codes[code_of(*task)].yields;
  // A fiber that only asks whether to continue has nothing for other workers.
  const bool is_ready = yields && task != nullptr && task->run - task->run_before >= kLeastTurn;
  const std::uint64_t joins = task != nullptr ? std::exchange(task->joins, 0) : 0;
  if (const auto loop = loops_.find(joins); loop != loops_.end()) loop->second.is_joined = true;
  // A chunk that the external thread runs in a wait waits, too.
  if (const auto outer = track.suspended.find(event.first);
      event.first == 0 && !track.is_worker && outer != track.suspended.end())
    track.outer_waits.push_back(outer->second);
  track.suspended[event.first] = {.task = track.current,
                                  .since = event.at,
                                  .wait = event.second,
                                  .joins = joins,
                                  .is_ready = is_ready};
  if (is_ready) ++track.ready;
  if (track.current != kNone) leave(track, event.at);
  track.current = kNone;
}

void RunReader::resume(Track& track, const RunEvent& event) {
  const auto found = track.suspended.find(event.first);
  if (found != track.suspended.end()) {
    enter(track, event.at);
    const Suspended state = found->second;
    track.suspended.erase(found);
    if (event.first == 0 && !track.outer_waits.empty()) {
      track.suspended[0] = track.outer_waits.back();
      track.outer_waits.pop_back();
    }
    if (state.is_ready && track.ready > 0) --track.ready;
    track.current = state.task;
    if (state.task == kNone) return;
    ++summary_.codes[code_of(tasks_[state.task])].resumptions;
    const std::uint64_t key = event.first != 0 ? event.first : kNoFiber | event.second;
    return continue_after(track, state, key, event.at);
  }
  Origin origin;
  if (!take(created_, event.first, origin)) {
    if (event.first == 0) {
      track.current = kNone;
    } else if (track.is_worker && track.current == kNone) {
      adopt(track, event);
    }
    return;
  }
  // The Fiber begins, also in place of the job that brings it.
  if (track.current != kNone && !tasks_[track.current].is_thread)
    track.current = tasks_[track.current].outer;
  begin_task(track, event, origin.code, origin);
  tasks_.back().is_fiber = true;
}

void RunReader::continue_after(const Track& track, const Suspended& state, std::uint64_t key,
                               std::uint64_t now) {
  Task& task = tasks_[state.task];
  if (state.joins != 0) join_loop(task, state.joins);
  const auto wake = wakes_.find(key);
  const bool has_cause = wake != wakes_.end() && wake->second.at.is_known();
  if (wake != wakes_.end() && track.idle_since <= wake->second.time)
    latencies_.add(now - wake->second.time);
  const Edge edge = edge_of(state.wait);
  if (edge == Edge::kLatency || (edge == Edge::kCause && !has_cause && !task.is_thread)) {
    dag_.pass(task.at, now - state.since);
  } else if (edge != Edge::kNone) {
    if (has_cause) task.at = task.at.joined(wake->second.at.after_edge(burden_));
    if (edge == Edge::kJoin && task.children.is_known())
      task.at = task.at.joined(task.children.after_edge(burden_));
  }
  if (wake != wakes_.end()) wakes_.erase(wake);
}

// A fiber becomes ready: on its home, or by another thread.
void RunReader::wake(Track& track, const RunEvent& event, bool is_home) {
  constexpr std::uint64_t kToken = jobs::detail::kToken;
  // A Fiber wakes its joiner after its end.
  const DagPoint waker = track.current != kNone ? tasks_[track.current].at : track.ended;
  if (is_home) {
    const auto found = track.suspended.find(event.first);
    if (found != track.suspended.end() && !std::exchange(found->second.is_ready, true))
      ++track.ready;
    if (wakes_.contains(event.first)) return;  // another thread has sent the wake-up
  }
  Wake wake{.at = {}, .time = event.at};
  if ((event.second & kToken) != 0) wake.at = waker;
  wakes_[event.first] = wake;
}

// --- loops ---------------------------------------------------------------------------------------

// If the loop is known, another loop had the same address, and its end is lost.
void RunReader::begin_loop(Track& track, const RunEvent& event) {
  const Task* const task = current_or_thread(track, event);
  if (task == nullptr) return;
  Loop& loop = loops_[event.first];
  add_loop(loop);
  loop = {.begin = task->at, .end = task->at, .caller = track.current, .is_team = true};
}

void RunReader::begin_chunk(Track& track, const RunEvent& event) {
  Task* const task = current_or_thread(track, event);
  if (task == nullptr) return;
  if (!task->chunks.empty() && task->chunks.back().loop == event.first) end_chunk(*task);
  if ((event.second & jobs::detail::kTraceLeaf) != 0) {
    task->chunks.push_back({.loop = event.first, .run_before = task->run});
    return;
  }
  auto [entry, is_new] = loops_.try_emplace(event.first);
  Loop& loop = entry->second;
  const bool is_first = event.second == 0 && !loop.is_team;
  // Another loop had the same address, and its end is lost.
  if (!is_new && is_first && loop.caller != kNone) {
    add_loop(loop);
    loop = {};
  }
  if (!loop.begin.is_known()) loop.begin = loop.end = task->at;
  if (is_first) {
    loop.caller = track.current;
    task->at = loop.begin;
  } else {
    task->at = loop.caller == track.current ? loop.begin : loop.begin.after_edge(burden_);
  }
  task->chunks.push_back({.loop = event.first, .run_before = task->run});
}

void RunReader::end_chunk(Task& task) {
  const Chunk chunk = task.chunks.back();
  task.chunks.pop_back();
  summary_.codes[code_of(task)].chunks.add(task.run - chunk.run_before);
  const auto loop = loops_.find(chunk.loop);
  if (loop != loops_.end()) loop->second.end = loop->second.end.joined(task.at);
}

// The caller continues after all chunks of its loop.
void RunReader::join_loop(Task& task, std::uint64_t address) {
  const auto loop = loops_.find(address);
  if (loop == loops_.end()) return;
  task.at = task.at.joined(loop->second.end);
  add_loop(loop->second);
  loops_.erase(loop);
}

void RunReader::add_loop(const Loop& loop) {
  if (loop.caller != kNone) summary_.codes[code_of(tasks_[loop.caller])].loops.add(loop.alone);
}

// --- deadlines -----------------------------------------------------------------------------------

// The code causes the lateness while it runs. The rest comes from the kernel, for example if it
// wakes a parked worker late.
void RunReader::add_deadline(const Track& track, const RunEvent& event) {
  summary_.timers.add(event.second);
  const bool is_running = track.current != kNone;
  const std::uint32_t code = is_running ? code_of(track) : track.last_code;
  if (code == kNone) return;
  const std::uint64_t deadline = event.at - std::min(event.at, event.second);
  const std::uint64_t begin = is_running ? std::max(deadline, track.runs_since) : deadline;
  const std::uint64_t end = is_running ? event.at : track.idle_since;
  if (begin < end) summary_.codes[code].late += end - begin;
}

// --- locks ---------------------------------------------------------------------------------------

void RunReader::use_lock(Track& track, const RunEvent& event) {
  const auto [entry, is_new] = locks_.try_emplace(event.first);
  Lock& lock = entry->second;
  if (is_new) {
    lock.index = summary_.locks.size();
    const std::string_view name = run_.objects.of(event.first);
    summary_.locks.emplace_back().name = name.empty() ? names_.of(event.first) : name;
  }
  LockSummary& figures = summary_.locks[lock.index];
  Task* const task = current_or_thread(track, event);
  if (task == nullptr) return;
  const std::string& code = summary_.codes[code_of(*task)].name;
  switch (event.kind) {
    case TraceEvent::kLockWait:
      if (lock.held_since == 0) lock.held_since = event.at;
      task->lock_since = event.at;
      ++lock.waiting;
      ++waiting_for_locks_;
      figures.waiter = code;
      return;
    case TraceEvent::kLockFree:
      if (lock.held_since != 0) figures.holds.add(event.at - lock.held_since);
      lock.held_since = 0;
      figures.holder = code;
      return;
    default:  // the wait has ended
      if (event.kind == TraceEvent::kLockHeld) lock.held_since = event.at;
      if (lock.waiting == 0) return;
      --lock.waiting;
      --waiting_for_locks_;
      figures.waits.add(event.at - task->lock_since);
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
