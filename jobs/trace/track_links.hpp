// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TrackLinks: what connects the tracks of a recording. An arrow leads from the spawn of a job to
// its begin, and from a wake-up to the fiber or the worker that runs again. LockLives: the owners
// and the waiters of each lock, over all tracks.
//
// write_recording_file() owns both. add() comes first, for the events of all tracks.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/trace/format/trace_sink.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class TrackLinks {
 public:
  // Where an arrow begins.
  struct Source {
    os::Nanoseconds at = 0;
    unsigned track = TraceSink::kFramesTrack;
  };

  // An event of a track; ignores other kinds than kSpawn, kWakeFiber, kReady and kWakeWorker.
  void add(jobs::detail::TraceEvent kind, std::uint64_t first, std::uint64_t second,
           os::Nanoseconds at, unsigned track);
  // Returns the last spawn of the job at that address until `at`, or null.
  const Source* spawn_of(std::uint64_t job, os::Nanoseconds at) const;
  // Returns what has ended the wait of a fiber between the two times, or null: a deadline, or an
  // unknown cause. `since`: the end of the wait before.
  const Source* wake_of(std::uint64_t key, os::Nanoseconds since, os::Nanoseconds begin,
                        os::Nanoseconds end) const;
  // Returns what has ended the sleep of a worker between the two times, or null: a deadline, or an
  // unknown cause. `host`: its address.
  const Source* waker_of(std::uint64_t host, os::Nanoseconds begin, os::Nanoseconds end) const;

 private:
  struct Event {
    Source source;
    std::uint64_t value;  // Signal bits
  };
  using ByTime = std::map<os::Nanoseconds, Event>;
  using ByKey = std::map<std::uint64_t, ByTime>;

  // Returns the last event of the key after `begin` and until `end`, or null.
  static const Event* last_of(const ByKey& events, std::uint64_t key, os::Nanoseconds begin,
                              os::Nanoseconds end);

  ByKey spawns_;   // by the address of the job
  ByKey wakes_;    // by other threads
  ByKey readies_;  // on the home of the fiber
  ByKey workers_;  // wake-ups of workers, by the address of the host
};

class LockLives {
 public:
  // kLockWait, kLockHeld, kLockLost or kLockFree of a lock.
  struct Event {
    os::Nanoseconds at;
    jobs::detail::TraceEvent kind;
    bool has_owner;  // kLockWait: the lock has an owner
    unsigned track;
    std::string who;  // name of the fiber, of the job or of the thread
  };
  struct Wait {
    os::Nanoseconds begin;
    os::Nanoseconds end;
    unsigned track;
    std::string who;
  };

  void add(std::uint64_t lock, Event event) { locks_[lock].events.push_back(std::move(event)); }
  void add_wait(std::uint64_t lock, Wait wait) { locks_[lock].waits.push_back(std::move(wait)); }
  void write(TraceSink& sink);

 private:
  struct Lock {
    std::vector<Event> events;
    std::vector<Wait> waits;
  };

  static void write_holds(TraceSink& sink, const std::vector<Event>& events);

  std::map<std::uint64_t, Lock> locks_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
