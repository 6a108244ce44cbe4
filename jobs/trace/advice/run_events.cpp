// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RunEvents: the begin, the texts and the order.
#include "jobs/trace/advice/run_events.hpp"
#include "jobs/trace/format/sort_by.hpp"

#include <algorithm>

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

TraceEvent event_kind(const RawEvent& raw) noexcept {
  return static_cast<TraceEvent>(raw[1] & ((1u << kKindBits) - 1));
}

// The time from which on no ring has lost an event, which is `begin` or later.
std::uint64_t complete_since(const std::vector<Recorder::TrackCopy>& tracks, std::uint64_t begin) {
  for (const Recorder::TrackCopy& track : tracks) {
    if (!track.is_cut) continue;
    // The first words of a ring may be the text of an event that is lost.
    const auto first = std::find_if(track.events.begin(), track.events.end(), [](const auto& raw) {
      return event_kind(raw) != TraceEvent::kText;
    });
    if (first != track.events.end()) begin = std::max(begin, (*first)[0]);
  }
  return begin;
}

}  // namespace

RunEvents RunEvents::merge(const std::vector<Recorder::TrackCopy>& tracks, const TraceClock& clock,
                           std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t asked = begin;
  begin = complete_since(tracks, begin);
  const os::Nanoseconds start = clock.at(begin);
  RunEvents run;
  run.is_cut = begin != asked;
  run.end = static_cast<std::uint64_t>(std::max<os::Nanoseconds>(clock.at(end) - start, 0));
  for (std::uint32_t number = 0; number < tracks.size(); ++number) {
    run.tracks.push_back(tracks[number].name);
    run.nodes.push_back(tracks[number].node);
    bool is_in_time = false;
    for (const RawEvent& raw : tracks[number].events) {
      const TraceEvent kind = event_kind(raw);
      if (kind == TraceEvent::kText) {
        if (is_in_time) append_text(run.events.back().text, raw);
        continue;
      }
      // The names of Fibers are needed later.
      const std::uint64_t since = kind == TraceEvent::kFiberCreate ? asked : begin;
      is_in_time = raw[0] >= since && raw[0] <= end;
      if (!is_in_time) continue;
      run.events.push_back(
          {.at = static_cast<std::uint64_t>(std::max<os::Nanoseconds>(clock.at(raw[0]) - start, 0)),
           .kind = kind,
           .track = number,
           .first = raw[2],
           .second = raw[3],
           .text = {}});
    }
  }
  sort_by(run.events, [](const RunEvent& event) { return event.at; });
  return run;
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
