// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file: the names of the tracks, the tracks, the lives of fibers, and the frames.
#include "jobs/trace/chrome_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string_view>

#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::TraceEvent;

constexpr unsigned kFramesTrack = 0;  // those of threads begin at 1

TraceEvent kind_of(const RawEvent& raw) noexcept {
  return static_cast<TraceEvent>(raw[1] & ((1u << kKindBits) - 1));
}

void append_text(std::string& text, const RawEvent& raw) {
  const std::array<std::uint64_t, 3> words = {raw[0], raw[2], raw[3]};
  static_assert(sizeof words == kTextBytes);
  std::array<char, kTextBytes> bytes;
  std::memcpy(bytes.data(), words.data(), kTextBytes);
  text.append(bytes.data(), std::min<std::size_t>(raw[1] >> kKindBits, kTextBytes));
}

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

void write_name(JsonFile& file, std::string_view what, unsigned track, std::string_view name) {
  file.begin_object();
  file.text("ph", "M");
  file.text("name", what);
  file.number("pid", 1);
  file.number("tid", track);
  file.begin_arguments();
  file.text("name", name);
  file.end_arguments();
  file.end_object();
}

// A frame lasts from the mark before it to its own, and the first one from the first mark.
void write_frames(JsonFile& file, std::vector<FrameMark>& marks) {
  std::sort(marks.begin(), marks.end(),
            [](const FrameMark& a, const FrameMark& b) { return a.at < b.at; });
  std::map<std::string_view, os::Nanoseconds> last;
  for (const FrameMark& mark : marks) {
    const std::string_view name =
        reinterpret_cast<const char*>(static_cast<std::uintptr_t>(mark.name));
    const auto [entry, is_first] = last.try_emplace(name, mark.at);
    if (is_first) continue;
    file.begin_object();
    file.text("ph", "X");
    file.number("pid", 1);
    file.number("tid", kFramesTrack);
    file.microseconds("ts", entry->second);
    file.microseconds("dur", mark.at - entry->second);
    file.text("name", name);
    file.text("cat", "frame");
    file.end_object();
    entry->second = mark.at;
  }
}

}  // namespace

void write_chrome_file(const std::string& path, const std::vector<Recorder::TrackCopy>& tracks,
                       const TraceClock& clock, std::uint64_t begin, std::uint64_t end) {
  JsonFile file(path);
  TraceParts parts{.file = file, .jobs = {}, .fibers = {}, .frames = {}};
  const os::Nanoseconds length = clock.at(end) - clock.at(begin);
  // A fiber may begin on another track than that of its creator.
  for (const Recorder::TrackCopy& track : tracks) {
    for_each_event(track, clock, begin, end, [&parts](const TimedEvent& event) {
      if (event.kind == TraceEvent::kFiberCreate)
        parts.fibers.created(event.first, event.text, event.at);
    });
  }
  write_name(file, "process_name", kFramesTrack, "jobs");
  write_name(file, "thread_name", kFramesTrack, "frames");
  unsigned number = kFramesTrack;
  for (const Recorder::TrackCopy& track : tracks) {
    ++number;
    if (track.events.empty()) continue;
    write_name(file, "thread_name", number, track.name);
    TrackWriter writer(parts, number);
    for_each_event(track, clock, begin, end,
                   [&writer](const TimedEvent& event) { writer.write(event); });
    writer.finish(length);
  }
  parts.fibers.write(file, length);
  write_frames(file, parts.frames);
  file.finish();
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
