// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The raw file of a recording: the names first, because the events refer to them.
#include "jobs/trace/raw_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/trace/format/output_file.hpp"
#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

class RawWriter {
 public:
  explicit RawWriter(const std::string& path) : file_(path) {}

  void bytes(std::string_view text) { file_.buffer().append(text); }
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) file_.buffer() += static_cast<char>((value & 0x7f) | 0x80);
    file_.buffer() += static_cast<char>(value);
  }
  // Small numbers of either sign take few bytes.
  void difference(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view value) {
    number(value.size());
    bytes(value);
    file_.flush_if_large();
  }
  void flush_if_large() { file_.flush_if_large(); }
  void close() { file_.close(); }

 private:
  OutputFile file_;
};

// The names that events refer to; an event has the index of its name.
class Names {
 public:
  void add(FirstValue kind, std::uint64_t address) {
    const auto [entry, is_new] = indices_.try_emplace({kind, address}, all_.size());
    if (is_new) all_.push_back(entry->first);
  }
  std::uint64_t index_of(FirstValue kind, std::uint64_t address) const {
    return indices_.at({kind, address});
  }
  void write(RawWriter& out) const {
    JobNames jobs;
    ProgramNames names;
    out.number(all_.size());
    for (const auto& [kind, address] : all_) {
      out.number(static_cast<std::uint64_t>(kind));
      const std::string_view name =
          kind == FirstValue::kFunction ? jobs.of(address) : names.of(address);
      out.text(jobs::detail::cut_text(name, kLongestRawName));
    }
  }

 private:
  using Key = std::pair<FirstValue, std::uint64_t>;

  std::map<Key, std::uint64_t> indices_;
  std::vector<Key> all_;
};

// Returns the events between the two times, each with its text. The begin of a ring may have lost
// the event of a text.
std::vector<RawEvent> events_between(const Recorder::TrackCopy& track, std::uint64_t begin,
                                     std::uint64_t end) {
  std::vector<RawEvent> events;
  bool is_taken = false;
  for (const RawEvent& raw : track.events) {
    if (kind_of(raw) != TraceEvent::kText) is_taken = raw[0] >= begin && raw[0] <= end;
    if (is_taken) events.push_back(raw);
  }
  return events;
}

void write_objects(RawWriter& out, const ObjectNames& objects) {
  out.number(objects.all().size());
  for (const auto& [object, name] : objects.all()) {
    out.number(object);
    out.text(name);
  }
}

void write_text(RawWriter& out, const RawEvent& raw) {
  const std::array<std::uint64_t, 3> words = {raw[0], raw[2], raw[3]};
  std::array<char, kTextBytes> bytes;
  std::memcpy(bytes.data(), words.data(), kTextBytes);
  out.bytes({bytes.data(), std::min<std::size_t>(raw[1] >> kKindBits, kTextBytes)});
}

void write_events(RawWriter& out, const std::vector<RawEvent>& events, const Names& names,
                  std::uint64_t begin) {
  std::uint64_t last = begin;
  for (const RawEvent& raw : events) {
    const TraceEvent kind = kind_of(raw);
    out.number(static_cast<std::uint64_t>(kind));
    out.number(raw[1] >> kKindBits);
    if (kind == TraceEvent::kText) {
      write_text(out, raw);
      continue;
    }
    out.difference(static_cast<std::int64_t>(raw[0] - last));
    last = raw[0];
    const FirstValue first = first_value_of(kind);
    out.number(first == FirstValue::kNumber ? raw[2] : names.index_of(first, raw[2]));
    out.number(raw[3]);
    out.flush_if_large();
  }
}

}  // namespace

void write_raw_file(const std::string& path, const std::vector<Recorder::TrackCopy>& tracks,
                    const TraceClock& clock, std::uint64_t begin, std::uint64_t end,
                    const ObjectNames& objects) {
  std::vector<std::vector<RawEvent>> events;
  Names names;
  for (const Recorder::TrackCopy& track : tracks) {
    for (const RawEvent& raw : events.emplace_back(events_between(track, begin, end))) {
      if (const FirstValue first = first_value_of(kind_of(raw)); first != FirstValue::kNumber)
        names.add(first, raw[2]);
    }
  }
  RawWriter out(path);
  out.bytes(kRawMagic);
  out.number(kRawVersion);
  out.number(begin);
  out.number(end - begin);
  out.number(static_cast<std::uint64_t>(clock.at(end) - clock.at(begin)));
  names.write(out);
  write_objects(out, objects);
  out.number(tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    out.text(tracks[i].name);
    out.number(events[i].size());
    write_events(out, events[i], names, begin);
  }
  out.close();
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
