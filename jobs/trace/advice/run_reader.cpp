// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunReader: time, tasks, and their begins and ends. run_reader_waits.cpp has the other events.
#include "jobs/trace/advice/run_reader.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/trace/fiber_names.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

RunReader::RunReader(const RunEvents& run, unsigned workers, std::uint64_t burden)
    : run_(run), burden_(burden), tracks_(run.tracks.size()) {
  summary_.workers = workers;
  for (std::size_t i = 0; i < tracks_.size(); ++i)
    tracks_[i].is_worker = std::string_view(run.tracks[i]).starts_with("worker ");
  for (std::size_t i = 0; i < std::min(tracks_.size(), run.nodes.size()); ++i)
    tracks_[i].node = run.nodes[i];
}

void RunReader::read() {
  for (const RunEvent& event : run_.events) {
    if (may_have_fiber_name(event.kind) && !event.text.empty())
      fiber_names_[event.first] = event.text;
  }
  find_begun_jobs();
  for (const RunEvent& event : run_.events) {
    Track& track = tracks_[event.track];
    sweep(event.at);
    advance(track, event);
    apply(track, event);
  }
  sweep(run_.end);
  summary_.length = run_.end;
  for (Track& track : tracks_)
    while (track.current != kNone && !tasks_[track.current].is_thread) end_task(track, run_.end);
}

// A thread outside that waits for a counter runs some of its jobs without events. Such a job does
// not wait in a queue. Without this, it would do so until the end of the run.
void RunReader::find_begun_jobs() {
  std::unordered_map<std::uint64_t, const RunEvent*> spawned;
  for (const RunEvent& event : run_.events) {
    if (event.kind == TraceEvent::kSpawn) {
      spawned[event.first] = &event;
    } else if (event.kind == TraceEvent::kJobBegin) {
      const auto found = spawned.find(event.second);
      if (found == spawned.end()) continue;
      begun_.push_back(found->second);
      spawned.erase(found);
    }
  }
  std::sort(begun_.begin(), begun_.end());  // the order of the events
}

// --- time ----------------------------------------------------------------------------------------

// The time of all threads together goes on.
void RunReader::sweep(std::uint64_t now) {
  const std::uint64_t time = now - std::exchange(now_, now);
  if (time == 0) return;
  const Track* alone = nullptr;
  unsigned running = 0;
  bool is_awake = false;
  for (const Track& track : tracks_) {
    const bool is_running = runs(track);
    if (is_running || (track.is_worker && track.has_begun && !track.is_parked)) is_awake = true;
    if (!is_running) continue;
    ++running;
    alone = &track;
  }
  if (is_awake) summary_.awake += time;
  if (running == 1 && summary_.workers > 1) add_alone(*alone, time);
  if (waiting_for_locks_ == 0) return;
  for (const auto& [mutex, lock] : locks_)
    if (lock.waiting != 0) summary_.locks[lock.index].waited += time;
}

void RunReader::add_alone(const Track& track, std::uint64_t time) {
  const std::uint32_t code = code_of(track);
  if (code == kNone || code == unknown_code_) return;
  AloneTimes& alone = summary_.codes[code].alone;
  // Jobs wait in a queue: the other workers have not come yet.
  if (!spawned_.empty()) return;
  const Task& task = tasks_[track.current];
  (waiting_for_locks_ != 0 ? alone.locked
   : track.ready > 1       ? alone.piled
   : !task.chunks.empty()  ? alone.loop
                           : alone.plain) += time;
  if (task.chunks.empty()) return;
  const auto loop = loops_.find(task.chunks.back().loop);
  if (loop != loops_.end()) loop->second.alone += time;
}

// The time of one thread goes on, up to its event.
void RunReader::advance(Track& track, const RunEvent& event) {
  const std::uint64_t time = event.at - std::exchange(track.since, event.at);
  if (track.current != kNone) {
    Task& task = tasks_[track.current];
    // suspend() keeps the loop for the end of the wait.
    if (task.joins != 0 && event.kind != TraceEvent::kSuspend)
      join_loop(task, std::exchange(task.joins, 0));
    if (!counts(task)) return;
    task.run += time;
    dag_.run(task.at, time);
    if (!track.is_worker) return;
    summary_.useful += time;
    track.spell += time;
  } else if (track.is_searching) {
    if (track.is_parked) return;
    summary_.searching += time;
    track.search += time;
  } else if (track.is_worker && track.has_begun && !track.is_parked) {
    summary_.scheduler += time;
  }
}

void RunReader::apply(Track& track, const RunEvent& event) {
  track.has_begun = true;
  switch (event.kind) {
    case TraceEvent::kJobBegin:
      track.is_in_marker = event.first == marker_;
      if (!track.is_in_marker) return begin_job(track, event);
      if (track.stolen_jobs != 0) --track.stolen_jobs;
      return;
    case TraceEvent::kJobEnd:
      if (std::exchange(track.is_in_marker, false)) return;
      if (track.current != kNone && !tasks_[track.current].is_thread) end_task(track, event.at);
      return;
    case TraceEvent::kFiberEnd:
      return end_task(track, event.at);
    case TraceEvent::kSuspend:
      return suspend(track, event);
    case TraceEvent::kResume:
      return resume(track, event);
    case TraceEvent::kSpawn:
      track.creator = origin_here(track, event);
      if (next_begun_ == begun_.size() || begun_[next_begun_] != &event) return;
      ++next_begun_;
      if (track.creator.at.is_known()) spawned_[event.first] = track.creator;
      return;
    case TraceEvent::kFork:
      if (const Origin origin = origin_here(track, event); origin.at.is_known())
        forks_[event.first] = origin;
      return;
    case TraceEvent::kForkBegin:
      return begin_fork(track, event);
    case TraceEvent::kForkEnd:
      return end_fork(track, event.at);
    case TraceEvent::kFiberCreate: {
      Origin origin = origin_here(track, event);
      origin.code = code_named("Fiber " + event.text);
      created_[event.first] = origin;
      return;
    }
    case TraceEvent::kSteal:
      return steal(track, event);
    case TraceEvent::kReady:
      return wake(track, event, true);
    case TraceEvent::kWakeFiber:
      return wake(track, event, false);
    case TraceEvent::kChunkBegin:
      return begin_chunk(track, event);
    case TraceEvent::kChunkEnd:
      if (Task* const task = current_or_thread(track, event);
          task != nullptr && !task->chunks.empty() && task->chunks.back().loop == event.first) {
        end_chunk(*task);
        const auto loop = loops_.find(event.first);
        if (loop != loops_.end() && loop->second.caller == track.current &&
            !loop->second.is_joined && !loop->second.is_team)
          task->joins = event.first;
      }
      return;
    case TraceEvent::kLoopBegin:
      return begin_loop(track, event);
    case TraceEvent::kLoopEnd:
      if (Task* const task = current_or_thread(track, event)) join_loop(*task, event.first);
      return;
    case TraceEvent::kNodeBegin:
      return begin_part(
          track, event,
          event.text.empty()
              ? kNone
              : code_named(std::string(jobs::detail::cut_text(event.text, kLongestLabel))));
    case TraceEvent::kStageBegin:
      return begin_part(track, event, kNone);
    case TraceEvent::kCallBegin:
      return begin_part(track, event, code_of_job(event.first));
    case TraceEvent::kPartCode:
      if (track.current != kNone) set_part_code(track.current, code_of_job(event.first));
      return;
    case TraceEvent::kNodeEnd:
    case TraceEvent::kStageEnd:
    case TraceEvent::kCallEnd:
      if (track.current != kNone) end_part(tasks_[track.current]);
      return;
    case TraceEvent::kLockWait:
    case TraceEvent::kLockHeld:
    case TraceEvent::kLockLost:
    case TraceEvent::kLockFree:
      return use_lock(track, event);
    case TraceEvent::kTimer:
      return add_deadline(track, event);
    case TraceEvent::kSearchBegin:
      track.is_searching = true;
      track.has_searched = true;
      track.search = 0;
      if (const std::uint64_t spell = std::exchange(track.spell, 0); spell != 0)
        summary_.spells.add(spell);
      return;
    case TraceEvent::kSearchEnd:
      if (track.is_searching) summary_.searches.add(track.search);
      track.is_searching = false;
      track.is_parked = false;
      return;
    case TraceEvent::kPark:
      track.is_parked = true;
      return;
    case TraceEvent::kWake:
      track.is_parked = false;
      return;
    default:
      return;
  }
}

// --- tasks ---------------------------------------------------------------------------------------

std::uint32_t RunReader::code_named(const std::string& name) {
  const auto [entry, is_new] =
      named_codes_.try_emplace(name, static_cast<std::uint32_t>(summary_.codes.size()));
  if (is_new) summary_.codes.emplace_back().name = name;
  return entry->second;
}

std::uint32_t RunReader::code_of_job(std::uint64_t function) {
  const auto [entry, is_new] = job_codes_.try_emplace(function, kNone);
  if (is_new) {
    entry->second = code_named(names_.of(function));
    summary_.codes[entry->second].function = function;
  }
  return entry->second;
}

std::uint32_t RunReader::code_of(const Task& task) noexcept {
  const auto known = std::find_if(task.parts.rbegin(), task.parts.rend(),
                                  [](const Part& part) { return part.code != kNone; });
  return known != task.parts.rend() ? known->code : task.code;
}

std::uint32_t RunReader::code_of(const Track& track) const noexcept {
  return track.current != kNone ? code_of(tasks_[track.current]) : kNone;
}

// The task of the thread. A thread outside of the scheduler becomes a task with its first event.
RunReader::Task* RunReader::current_or_thread(Track& track, const RunEvent& event) {
  if (track.current == kNone) {
    if (track.is_worker) return nullptr;
    if (track.thread_task == kNone) {
      track.thread_task = static_cast<std::uint32_t>(tasks_.size());
      Task& task = tasks_.emplace_back();
      task.is_thread = true;
      task.code = code_named(run_.tracks[event.track]);
      task.at = dag_.begin_root(task.code);
    }
    track.current = track.thread_task;
  }
  return &tasks_[track.current];
}

RunReader::Origin RunReader::origin_here(Track& track, const RunEvent& event) {
  const Task* const task = current_or_thread(track, event);
  if (task == nullptr) return {};
  return {.at = task->at,
          .task = track.current,
          .track = event.track,
          .time = event.at,
          .node = track.node};
}

void RunReader::begin_task(Track& track, const RunEvent& event, std::uint32_t code,
                           const Origin& origin) {
  enter(track, event.at);
  Task& task = tasks_.emplace_back();
  task.code = code;
  task.is_scheduled = track.is_worker && track.current == kNone;
  task.parent = origin.task;
  task.outer = std::exchange(track.current, static_cast<std::uint32_t>(tasks_.size() - 1));
  task.at = origin.at.is_known() ? origin.at.after_edge(burden_) : begin_of_unknown(code);
  if (origin.track != kNone && origin.track != event.track && track.idle_since <= origin.time)
    latencies_.add(event.at - origin.time);
}

// Tasks that were created before the events do not depend on each other.
DagPoint RunReader::begin_of_unknown(std::uint32_t code) {
  if (!run_.is_cut) return dag_.begin_root(code);
  if (!before_.is_known())
    before_ = dag_.begin_root(code_named("(all that was created before the events)"));
  return before_;
}

void RunReader::begin_job(Track& track, const RunEvent& event) {
  Origin origin;
  const bool is_stolen = track.stolen_jobs != 0;
  if (is_stolen) --track.stolen_jobs;
  const std::uint32_t code = code_of_job(event.first);
  if (take(spawned_, event.second, origin) || take(forks_, event.second, origin)) {
    add_placed_job(code, origin.node, track.node);
  } else {
    if (is_stolen) add_placed_job(code, track.stolen.node, track.node);
    origin = track.stolen.at.is_known() ? track.stolen : track.creator;
    origin.track = kNone;  // no measurement
  }
  begin_task(track, event, code, origin);
}

void RunReader::add_placed_job(std::uint32_t code, os::Node from, os::Node to) {
  if (from == os::kAnyNode || to == os::kAnyNode) return;
  ++summary_.codes[code].placed;
  if (from != to) ++summary_.codes[code].remote;
}

// The parent runs its fork itself.
void RunReader::begin_fork(Track& track, const RunEvent& event) {
  Origin origin;
  take(forks_, event.first, origin);
  const std::uint32_t code = code_of_job(event.second);
  add_placed_job(code, track.node, track.node);
  begin_task(track, event, code, origin);
}

// The parent continues after the fork.
void RunReader::end_fork(Track& track, std::uint64_t now) {
  if (track.current == kNone || tasks_[track.current].is_thread) return;
  const Task& fork = tasks_[track.current];
  end_task(track, now);
  if (track.current == kNone) return;
  Task& parent = tasks_[track.current];
  parent.in_place += fork.run + fork.in_place;
  if (parent.children.is_known()) parent.at = parent.at.joined(parent.children);
}

bool RunReader::take(std::unordered_map<std::uint64_t, Origin>& origins, std::uint64_t key,
                     Origin& origin) {
  const auto found = origins.find(key);
  if (found == origins.end()) return false;
  origin = found->second;
  origins.erase(found);
  return true;
}

// The current task ends.
void RunReader::end_task(Track& track, std::uint64_t now) {
  if (track.current == kNone) return;
  Task& task = tasks_[track.current];
  if (task.joins != 0) join_loop(task, std::exchange(task.joins, 0));
  while (!task.chunks.empty()) end_chunk(task);
  while (!task.parts.empty()) end_part(task);
  CodeSummary& code = summary_.codes[task.code];
  if (!task.has_parts) code.runs.add(task.run);
  if (task.is_scheduled) code.scheduled.add(task.run + task.in_place);
  if (task.parent != kNone) {
    Task& parent = tasks_[task.parent];
    const DagPoint end = task.children.is_known() ? task.at.joined(task.children) : task.at;
    parent.children = parent.children.is_known() ? parent.children.joined(end) : end;
  }
  leave(track, now);
  track.ended = task.at;
  track.current = task.outer;
}

// The current task no longer runs.
void RunReader::leave(Track& track, std::uint64_t now) {
  track.ended = {};
  track.last_code = code_of(track);
  if (Task& task = tasks_[track.current]; counts(task)) end_stretch(task);
  track.idle_since = now;
  track.has_searched = false;
}

// The code that runs waits, ends, or begins a part. The time of this library between its parts
// belongs to no code.
void RunReader::end_stretch(Task& task) {
  if (!task.has_parts || !task.parts.empty())
    summary_.codes[code_of(task)].stretches.add(task.run - task.run_before);
  task.run_before = task.run;
}

void RunReader::begin_part(Track& track, const RunEvent& event, std::uint32_t code) {
  Task* const task = current_or_thread(track, event);
  if (task == nullptr) return;
  if (!task->parts.empty() || task->is_fiber) end_stretch(*task);
  task->run_before = task->run;
  task->parts.push_back({.code = kNone, .run_before = task->run});
  if (code != kNone) set_part_code(track.current, code);
}

// A job that runs nodes, stages or calls of the C interface has the code of the first of them. A
// Fiber, a thread and the caller of a loop have code of their own.
void RunReader::set_part_code(std::uint32_t index, std::uint32_t code) {
  Task& task = tasks_[index];
  if (task.parts.empty() || task.parts.back().code != kNone) return;
  task.parts.back().code = code;
  if (task.has_parts || task.is_thread || task.is_fiber || task.parts.size() != 1) return;
  if (!task.chunks.empty()) {
    const auto loop = loops_.find(task.chunks.back().loop);
    if (loop == loops_.end() || loop->second.caller == index) return;
  }
  task.has_parts = true;
  task.code = code;
}

// A node, a stage or a call ends.
void RunReader::end_part(Task& task) {
  if (task.parts.empty()) return;
  end_stretch(task);
  const Part part = task.parts.back();
  if (part.code != kNone) summary_.codes[part.code].runs.add(task.run - part.run_before);
  task.parts.pop_back();
}

// A task is about to run.
void RunReader::enter(Track& track, std::uint64_t now) {
  if (track.current == kNone) track.runs_since = now;
  if (track.is_worker && track.current == kNone && !std::exchange(track.has_searched, true))
    summary_.gaps.add(now - track.idle_since);
}

// The thief takes the point at which its victim is: the victim has forked its jobs before. Workers
// of several schedulers may have the index of the victim: one that runs a task comes first.
void RunReader::steal(Track& track, const RunEvent& event) {
  const std::string name = "worker " + std::to_string(event.second);
  const Track* victim = nullptr;
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    const bool fits = event.second == jobs::detail::kTraceExternal ? !tracks_[i].is_worker
                                                                   : run_.tracks[i] == name;
    const auto likeliness = [](const Track& each) {
      return std::pair(each.current != kNone, each.since);
    };
    if (fits && (victim == nullptr || likeliness(tracks_[i]) > likeliness(*victim)))
      victim = &tracks_[i];
  }
  track.stolen = {};
  track.stolen_jobs = event.first;
  if (victim == nullptr) return;
  track.stolen = victim->creator;
  track.stolen.node = victim->node;
  if (victim->current == kNone) return;
  const Task& task = tasks_[victim->current];
  track.stolen = {.at = task.at, .task = victim->current, .node = victim->node};
  if (!counts(task)) return;
  track.stolen.at.length += event.at - victim->since;
  track.stolen.at.burdened += event.at - victim->since;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
