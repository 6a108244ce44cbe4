// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of a recording: the tracks, the lives of fibers, and the frames, in one of the formats.
#include "jobs/trace/recording_file.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "jobs/trace/fiber_names.hpp"
#include "jobs/trace/format/chrome_file.hpp"
#include "jobs/trace/format/html_file.hpp"
#include "jobs/trace/raw_file.hpp"
#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::TraceEvent;

// Calls visit(TimedEvent&) for each event between the two times.
template <class Visit>
void for_each_event(const Recorder::TrackCopy& track, const TraceClock& clock, std::uint64_t begin,
                    std::uint64_t end, Visit&& visit) {
  const os::Nanoseconds start = clock.at(begin);
  TimedEvent event;
  for (std::size_t i = 0; i < track.events.size(); ++i) {
    const RawEvent& raw = track.events[i];
    const TraceEvent kind = kind_of(raw);
    if (kind == TraceEvent::kText) continue;  // read with its event
    if (raw[0] < begin || raw[0] > end) continue;
    event = {.kind = kind,
             .at = std::max<os::Nanoseconds>(clock.at(raw[0]) - start, 0),
             .first = raw[2],
             .second = raw[3],
             .text = {}};
    for (std::size_t j = i + 1;
         j < track.events.size() && kind_of(track.events[j]) == TraceEvent::kText; ++j)
      append_text(event.text, track.events[j]);
    visit(event);
  }
}

// A frame lasts from the mark before it to its own, and the first one from the first mark.
void write_frames(TraceSink& sink, std::vector<FrameMark>& marks, ProgramNames& names) {
  std::sort(marks.begin(), marks.end(),
            [](const FrameMark& a, const FrameMark& b) { return a.at < b.at; });
  std::map<std::string_view, os::Nanoseconds> last;
  for (const FrameMark& mark : marks) {
    const std::string_view name = names.of(mark.name);
    const auto [entry, is_first] = last.try_emplace(name, mark.at);
    if (is_first) continue;
    sink.frame(name, entry->second, mark.at);
    entry->second = mark.at;
  }
}

constexpr std::string_view kHtmlEnding = ".html";

std::unique_ptr<TraceSink> open_file(const std::string& path, const ObjectNames& objects) {
  if (path.ends_with(kHtmlEnding)) return std::make_unique<HtmlFile>(path, objects);
  return std::make_unique<ChromeFile>(path, objects);
}

}  // namespace

bool has_known_format(std::string_view path) noexcept {
  return path.ends_with(".json") || path.ends_with(kHtmlEnding) || path.ends_with(kRawEnding);
}

void write_recording_file(const std::string& path, const std::vector<Recorder::TrackCopy>& tracks,
                          const TraceClock& clock, std::uint64_t begin, std::uint64_t end,
                          const ObjectNames& objects, JobNames jobs) {
  if (path.ends_with(kRawEnding)) return write_raw_file(path, tracks, clock, begin, end, objects);
  const std::unique_ptr<TraceSink> sink = open_file(path, objects);
  TraceParts parts{.sink = *sink,
                   .objects = objects,
                   .jobs = std::move(jobs),
                   .names = {},
                   .fibers = {},
                   .frames = {},
                   .links = {},
                   .locks = {},
                   .busy = {}};
  const os::Nanoseconds length = clock.at(end) - clock.at(begin);
  unsigned number = TraceSink::kFramesTrack;
  std::vector<bool> has_events;
  // A fiber may begin on another track than that of its creator, and so may a job.
  for (const Recorder::TrackCopy& track : tracks) {
    ++number;
    bool has_event = false;  // Ended threads may have had the same name.
    BusyTime busy{.track = number};
    for_each_event(track, clock, begin, end, [&](const TimedEvent& event) {
      has_event = true;
      busy.add(event.kind, event.at);
      if (event.kind == TraceEvent::kFiberCreate)
        parts.fibers.created(event.first, event.text, event.at);
      if (may_have_fiber_name(event.kind) && !event.text.empty())
        parts.fibers.named(event.first, event.text);
      parts.links.add(event.kind, event.first, event.second, event.at, number);
    });
    if (has_event) parts.busy[track.name].push_back(busy);
    has_events.push_back(has_event);
  }
  number = TraceSink::kFramesTrack;
  for (const Recorder::TrackCopy& track : tracks) {
    if (!has_events[number++ - TraceSink::kFramesTrack]) continue;
    sink->track(number, track.name);
    TrackWriter writer(parts, number, track.name);
    for_each_event(track, clock, begin, end,
                   [&writer](const TimedEvent& event) { writer.write(event); });
    writer.finish(length);
  }
  parts.fibers.write(*sink, parts.links, length);
  parts.locks.write(*sink);
  parts.fibers.write_objects(*sink);
  write_frames(*sink, parts.frames, parts.names);
  sink->finish(length);
}

TimePair start_of_calibration() noexcept {
  static const TimePair start = TraceClock::read();
  return start;
}

void write_recording(const std::string& path, std::uint64_t begin, std::uint64_t end,
                     os::Nanoseconds last) {
  const TraceClock clock(start_of_calibration(), TraceClock::read());
  if (last != 0) begin = std::max(begin, end - std::min(end, clock.ticks_in(last)));
  std::vector<Recorder::TrackCopy> tracks = Recorder::instance().copy();
  attach_fiber_names(tracks, begin, end);
  write_recording_file(path, tracks, clock, begin, end, names_of_objects());
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
