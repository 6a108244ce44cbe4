// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TrackWriter: writes the events of one thread as slices that nest, as the formats require.
//
// A slice is the time of a job, a zone, a search, a sleep or a Fiber. A worker runs other fibers
// while a fiber waits, so the slices of fibers interleave. Therefore a suspension ends the open
// slices of its fiber, and the resumption begins them again. The writer completes what the ring has
// lost: it drops an end without its begin, and ends open slices at the end of the recording. The
// events of one fiber are on one track, because fibers never change workers.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/trace/fiber_lives.hpp"
#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/format/program_names.hpp"
#include "jobs/trace/format/trace_sink.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/track_links.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// One event of a track. `at`: nanoseconds since the begin of the recording.
struct TimedEvent {
  jobs::detail::TraceEvent kind;
  os::Nanoseconds at;
  std::uint64_t first;
  std::uint64_t second;
  std::string text;
};

// Texts for the addresses of jobs. Each address is looked up once.
class JobNames {
 public:
  const std::string& of(std::uint64_t address);
  // Sets the text of an address that is none of this process.
  void set(std::uint64_t address, std::string text) { names_[address] = std::move(text); }

 private:
  std::map<std::uint64_t, std::string> names_;
};

// The end of a frame.
struct FrameMark {
  os::Nanoseconds at;
  std::uint64_t name;
};

// The time in which a worker has work: from the first event of work to the begin of the idle time
// after the last one.
struct BusyTime {
  void add(jobs::detail::TraceEvent kind, os::Nanoseconds at) noexcept;
  bool contains(os::Nanoseconds at) const noexcept { return begin <= at && at <= end; }

  static constexpr os::Nanoseconds kNever = std::numeric_limits<os::Nanoseconds>::max();

  unsigned track = 0;
  os::Nanoseconds begin = kNever;
  os::Nanoseconds end = kNever;  // kNever: it may work until the end of the recording
};

// What the tracks share.
struct TraceParts {
  TraceSink& sink;
  const ObjectNames& objects;
  JobNames jobs;
  ProgramNames names;
  FiberLives fibers;
  std::vector<FrameMark> frames;
  TrackLinks links;
  LockLives locks;
  // By the names of tracks. The workers of several schedulers have the same names.
  std::map<std::string, std::vector<BusyTime>> busy;
};

class TrackWriter {
 public:
  // `number`, `title`: of the track in the file.
  TrackWriter(TraceParts& parts, unsigned number, std::string title)
      : parts_(parts), number_(number), title_(std::move(title)) {}

  // The events in their order, and then the end of the recording.
  void write(const TimedEvent& event);
  void finish(os::Nanoseconds end);

 private:
  struct Slice {
    jobs::detail::TraceEvent kind;  // of its begin
    std::string name;
    std::uint64_t object = 0;   // the loop of a chunk, the lock of a wait
    os::Nanoseconds since = 0;  // its begin, before any wait
  };
  struct Suspended {
    std::vector<Slice> slices;
    os::Nanoseconds since;
    std::uint64_t wait;
  };

  static constexpr os::Nanoseconds kUnknown = -1;

  void begin(const Slice& slice, os::Nanoseconds at);
  void push(jobs::detail::TraceEvent kind, std::string name, os::Nanoseconds at,
            std::uint64_t object = 0);
  void pop(jobs::detail::TraceEvent kind, os::Nanoseconds at);
  void pop_through(jobs::detail::TraceEvent kind, os::Nanoseconds at, std::uint64_t object = 0);
  void begin_job(const TimedEvent& event);
  void wake(const TimedEvent& event);
  void begin_chunk(const TimedEvent& event);
  void lock(const TimedEvent& event);
  void end_lock_waits(const std::vector<Slice>& slices, std::uint64_t lock, os::Nanoseconds at);
  std::string who() const;
  void suspend(const TimedEvent& event);
  void resume(const TimedEvent& event);
  void begin_fiber(const TimedEvent& event);
  void ran(std::uint64_t fiber, os::Nanoseconds end);
  void waited(std::uint64_t fiber, std::uint64_t core, const Suspended& state, os::Nanoseconds end);
  std::uint64_t id_of(std::uint64_t fiber) const noexcept;
  void theft(const TimedEvent& event);

  TraceParts& parts_;
  const unsigned number_;
  const std::string title_;
  std::vector<Slice> open_;  // of the running fiber, outermost first
  std::map<std::uint64_t, Suspended> suspended_;
  // Of the running fiber. The id is 0 if it is the thread itself, or not known yet.
  std::uint64_t running_ = 0;
  os::Nanoseconds runs_since_ = kUnknown;
};

// Name of the kind of a wait, from the packed form.
std::string_view wait_name(std::uint64_t wait) noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
