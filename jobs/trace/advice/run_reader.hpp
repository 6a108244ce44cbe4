// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunReader: replays the events of a run. It knows at each moment which task each thread runs, and
// adds up the graph of the run (Dag) and the figures for findings (RunSummary). For one thread.
//
// A task is a job or a Fiber. A thread outside of the scheduler is a task, too; its own code does
// not count, because it may do something else than compute.
//
// Edges of the graph:
//   - from the creator of a job, a fork or a Fiber to its begin. A job without an event of its
//   creation
//     comes from the task that its thief has robbed, or from the last creator on its thread.
//   - from the end of a wait's last cause to the waiter; the wait for a counter, a job or a Fiber
//     also follows all tasks that the waiter has created and that have ended.
//   - from the begin of a loop to each chunk, and from each chunk to the end of the loop.
//   - from the end of a fork that its parent runs itself to the parent.
// Approximations: locks are no edges.
// A sleep, and a wait that no task ends, lengthen the path without work.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "jobs/trace/advice/dag_point.hpp"
#include "jobs/trace/advice/run_events.hpp"
#include "jobs/trace/advice/run_summary.hpp"
#include "jobs/trace/traced_pushes.hpp"
#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class RunReader {
 public:
  // `workers`: number of workers of the run. `burden`: the cost of an edge, in nanoseconds.
  RunReader(const RunEvents& run, unsigned workers, std::uint64_t burden);

  // Throws std::bad_alloc.
  void read();

  RunSummary& summary() noexcept { return summary_; }
  const Dag& dag() const noexcept { return dag_; }
  // Returns the name of a root: the number that the Dag has.
  const std::string& root_name(std::uint64_t name) const { return summary_.codes[name].name; }
  // Times from the creation or the wake-up of a task to its run on an idle worker.
  const Samples& latencies() const noexcept { return latencies_; }

 private:
  static constexpr std::uint32_t kNone = ~0u;

  struct Chunk {
    std::uint64_t loop;
    std::uint64_t run_before;
  };
  // A node of a graph, a stage of a pipeline or a call of the C interface.
  struct Part {
    std::uint32_t code = kNone;    // kNone until its function is known
    std::uint64_t run_before = 0;  // the time of the task at its begin
  };
  struct Task {
    DagPoint at;
    DagPoint children;  // the ends of the tasks that it has created
    std::uint32_t code = kNone;
    std::uint32_t parent = kNone;
    std::uint32_t outer = kNone;  // the task that continues when this one ends
    bool is_thread = false;
    std::uint64_t run = 0;         // its time so far
    std::uint64_t in_place = 0;    // that of the forks that it has called itself
    std::uint64_t run_before = 0;  // its time at the begin of the present stretch
    std::uint64_t lock_since = 0;  // the begin of its wait for a lock
    std::uint64_t joins = 0;       // the loop that it calls, after its last own chunk
    std::vector<Chunk> chunks;     // open, outermost first
    std::vector<Part> parts;       // open, outermost first
    bool has_parts = false;        // it is a job of this library, whose code is that of its parts
    bool is_fiber = false;
    bool is_scheduled = false;  // not called by its parent in place
  };
  struct Origin {
    DagPoint at;
    std::uint32_t task = kNone;
    std::uint32_t track = kNone;
    std::uint64_t time = 0;
    std::uint32_t code = kNone;    // of a Fiber
    os::Node node = os::kAnyNode;  // of the track
  };
  struct Suspended {
    std::uint32_t task = kNone;
    std::uint64_t since = 0;
    std::uint64_t wait = 0;
    std::uint64_t joins = 0;  // the loop whose last chunks it waits for
    bool is_ready = false;
  };
  struct Track {
    os::Node node = os::kAnyNode;
    bool is_worker = false;
    bool has_begun = false;
    bool is_searching = false;
    bool is_parked = false;
    bool is_in_marker = false;  // a job that does nothing (WorkerContext::run_marked())
    std::uint32_t current = kNone;
    std::uint32_t thread_task = kNone;
    std::uint32_t last_code = kNone;
    std::uint32_t ready = 0;        // fibers that have waited and may continue
    std::uint64_t since = 0;        // the last event
    std::uint64_t runs_since = 0;   // the begin of the present run of a task, or of the last one
    std::uint64_t idle_since = 0;   // the end of the last task
    bool has_searched = true;       // since then
    std::uint64_t search = 0;       // time of the present search, without sleeps
    std::uint64_t spell = 0;        // useful time since the last search
    DagPoint ended;                 // the end of the last task, until another one runs
    Origin stolen;                  // the last theft
    std::uint64_t stolen_jobs = 0;  // of it, those that have not begun
    Origin creator;                 // the last creation of a job
    std::unordered_map<std::uint64_t, Suspended> suspended;
    std::vector<Suspended> outer_waits;  // of an external thread, outermost first
  };
  struct Wake {
    DagPoint at;
    std::uint64_t time = 0;
  };
  struct Loop {
    DagPoint begin;
    DagPoint end;
    std::uint32_t caller = kNone;
    bool is_joined = false;   // the caller waits for its end, and may run further chunks
    bool is_team = false;     // it has a kLoopBegin and a kLoopEnd
    std::uint64_t alone = 0;  // the time in which one worker had all that was left of it
  };
  struct Lock {
    std::size_t index = 0;  // in the summary
    unsigned waiting = 0;
    std::uint64_t held_since = 0;
  };

  bool counts(const Task& task) const noexcept {
    return !task.is_thread || !task.chunks.empty() || !task.parts.empty();
  }
  bool runs(const Track& track) const noexcept {
    return track.current != kNone && counts(tasks_[track.current]);
  }
  void find_begun_jobs();
  void sweep(std::uint64_t now);
  void add_alone(const Track& track, std::uint64_t time);
  void advance(Track& track, const RunEvent& event);
  void apply(Track& track, const RunEvent& event);
  std::uint32_t code_of_job(std::uint64_t function);
  std::uint32_t code_named(const std::string& name);
  // The code that runs: that of the innermost part whose code is known, or that of the task.
  static std::uint32_t code_of(const Task& task) noexcept;
  std::uint32_t code_of(const Track& track) const noexcept;
  std::uint32_t code_of_old_fiber(std::uint64_t fiber);
  Origin origin_here(Track& track, const RunEvent& event);
  void begin_task(Track& track, const RunEvent& event, std::uint32_t code, const Origin& origin);
  void begin_job(Track& track, const RunEvent& event);
  void add_placed_job(std::uint32_t code, os::Node from, os::Node to);
  void begin_fork(Track& track, const RunEvent& event);
  void end_fork(Track& track, std::uint64_t now);
  static bool take(std::unordered_map<std::uint64_t, Origin>& origins, std::uint64_t key,
                   Origin& origin);
  void end_task(Track& track, std::uint64_t now);
  void begin_part(Track& track, const RunEvent& event, std::uint32_t code);
  void set_part_code(std::uint32_t task, std::uint32_t code);
  void end_part(Task& task);
  void end_stretch(Task& task);
  void leave(Track& track, std::uint64_t now);
  void enter(Track& track, std::uint64_t now);
  void adopt(Track& track, const RunEvent& event);
  void suspend(Track& track, const RunEvent& event);
  void resume(Track& track, const RunEvent& event);
  void continue_after(const Track& track, const Suspended& state, std::uint64_t key,
                      std::uint64_t now);
  void wake(Track& track, const RunEvent& event, bool is_home);
  void steal(Track& track, const RunEvent& event);
  void begin_loop(Track& track, const RunEvent& event);
  void begin_chunk(Track& track, const RunEvent& event);
  void end_chunk(Task& task);
  void add_loop(const Loop& loop);
  void join_loop(Task& task, std::uint64_t address);
  void use_lock(Track& track, const RunEvent& event);
  void add_deadline(const Track& track, const RunEvent& event);
  Task* current_or_thread(Track& track, const RunEvent& event);

  DagPoint begin_of_unknown(std::uint32_t code);

  const RunEvents& run_;
  const std::uint64_t burden_;
  const std::uint64_t marker_ = reinterpret_cast<std::uintptr_t>(fork_marker_function());
  std::uint64_t now_ = 0;
  std::uint32_t unknown_code_ = kNone;
  RunSummary summary_;
  Dag dag_;
  DagPoint before_;  // the root of all tasks whose creation is older than the events
  Samples latencies_;
  JobNames names_;
  std::vector<Track> tracks_;
  std::deque<Task> tasks_;  // Their addresses stay.
  std::unordered_map<std::uint64_t, std::uint32_t> job_codes_;
  std::unordered_map<std::string, std::uint32_t> named_codes_;
  std::vector<const RunEvent*> begun_;  // kSpawn of jobs with a kJobBegin
  std::size_t next_begun_ = 0;
  std::unordered_map<std::uint64_t, Origin> spawned_;           // by the address of the job
  std::unordered_map<std::uint64_t, Origin> forks_;             // by the address of the job
  std::unordered_map<std::uint64_t, Origin> created_;           // by the id of the Fiber
  std::unordered_map<std::uint64_t, std::string> fiber_names_;  // whose creation may be lost
  std::unordered_map<std::uint64_t, Wake> wakes_;               // by the key of the fiber
  std::unordered_map<std::uint64_t, Loop> loops_;
  std::unordered_map<std::uint64_t, Lock> locks_;
  unsigned waiting_for_locks_ = 0;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
