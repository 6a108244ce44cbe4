// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunEvents: the events of all threads in the order of their times. Plain data, for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

struct RunEvent {
  std::uint64_t at = 0;  // nanoseconds since the begin
  TraceEvent kind = TraceEvent::kNone;
  std::uint32_t track = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::string text;
};

struct RunEvents {
  std::vector<std::string> tracks;  // names
  std::vector<os::Node> nodes;      // of the tracks; shorter, if the others are not bound to one
  std::vector<RunEvent> events;
  std::uint64_t end = 0;  // nanoseconds since the begin
  bool is_cut = false;    // earlier events are lost
  ObjectNames objects;    // merge() leaves them empty

  // Takes the events between the two times, which are in ticks. If a ring has lost its oldest
  // events, the begin is the time from which on all rings are complete. Throws std::bad_alloc.
  static RunEvents merge(const std::vector<Recorder::TrackCopy>& tracks, const TraceClock& clock,
                         std::uint64_t begin, std::uint64_t end);
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
