// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HtmlFile: the columns of a recording, and the page around them.
#include "jobs/trace/format/html_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "jobs/trace/format/sort_by.hpp"
#include "jobs/trace/format/viewer_page.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

template <class Number, class... Format>
std::string digits_of(Number number, Format... format) {
  std::array<char, 32> digits;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
  return error == std::errc() ? std::string(digits.data(), end) : "0";
}

// A number with two digits at most, so that there are few names.
std::string rounded(os::Nanoseconds number) {
  os::Nanoseconds unit = 1;
  for (; number >= 100; number /= 10) unit *= 10;
  return digits_of(number * unit);
}

// Writes each element between brackets, with commas.
template <class List, class Write>
void write_list(std::string& out, List& list, Write&& write) {
  out += '[';
  bool is_first = true;
  for (auto& element : list) {
    if (!is_first) out += ',';
    is_first = false;
    write(element);
  }
  out += ']';
}

}  // namespace

HtmlFile::HtmlFile(const std::string& path, const ObjectNames& objects)
    : file_(path), object_names_(objects) {}

std::string HtmlFile::address_and_name(std::uint64_t object) const {
  return object_names_.describe("0x" + digits_of(object, 16), object);
}

std::uint32_t HtmlFile::index_of(std::string_view category, std::string_view name) {
  std::string key;
  key.reserve(category.size() + 1 + name.size());
  key.append(category).append("\n").append(name);
  const auto [entry, is_new] =
      indices_.try_emplace(std::move(key), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(&entry->first);
  return entry->second;
}

void HtmlFile::begin_row(Rows& rows, os::Nanoseconds at) {
  rows.numbers.add(static_cast<std::uint64_t>(std::max<os::Nanoseconds>(at - rows.last, 0)));
  rows.last = std::max(rows.last, at);
}

void HtmlFile::track(unsigned number, std::string_view name) { tracks_[number].name = name; }

void HtmlFile::begin_slice(unsigned track, std::string_view category, std::string_view name,
                           os::Nanoseconds at) {
  Track& to = tracks_[track];
  to.slices.push_back({.begin = at,
                       .length = 0,
                       .name = index_of(category, name),
                       .depth = static_cast<std::uint32_t>(to.open.size())});
  to.open.push_back(to.slices.size() - 1);
}

void HtmlFile::end_slice(unsigned track, os::Nanoseconds at) {
  Track& to = tracks_[track];
  Slice& slice = to.slices[to.open.back()];
  slice.length = at - slice.begin;
  to.open.pop_back();
}

void HtmlFile::message(unsigned track, std::string_view text, os::Nanoseconds at) {
  Rows& marks = tracks_[track].marks;
  begin_row(marks, at);
  marks.numbers.add(index_of("message", text));
}

void HtmlFile::theft(unsigned track, std::uint64_t jobs, std::string_view victim,
                     os::Nanoseconds at) {
  std::string text = "steal: " + std::to_string(jobs) + (jobs == 1 ? " job of " : " jobs of ");
  text += victim;
  Rows& marks = tracks_[track].marks;
  begin_row(marks, at);
  marks.numbers.add(index_of("steal", text));
}

void HtmlFile::timer(unsigned track, os::Nanoseconds lateness, os::Nanoseconds at) {
  Rows& marks = tracks_[track].marks;
  begin_row(marks, at);
  marks.numbers.add(index_of("timer", "timer, " + rounded(lateness / 1000) + " us late"));
}

void HtmlFile::page_faults(unsigned track, std::uint64_t faults, std::uint64_t stack,
                           os::Nanoseconds at) {
  std::string text = "page faults: " + rounded(static_cast<os::Nanoseconds>(faults));
  if (stack != 0) text += ", stack " + digits_of(stack / 1024) + " KiB";
  Rows& marks = tracks_[track].marks;
  begin_row(marks, at);
  marks.numbers.add(index_of("faults", text));
}

void HtmlFile::curve(unsigned /*track*/, std::string_view name, double value, os::Nanoseconds at) {
  std::vector<Value>& values = curves_[index_of("counter", name)];
  values.push_back({.at = at, .order = values.size(), .value = value});
}

void HtmlFile::begin_life(std::uint64_t fiber, std::string_view name, unsigned track,
                          os::Nanoseconds at) {
  fibers_.push_back({.id = fiber,
                     .name = std::string(name),
                     .track = track,
                     .begin = at,
                     .end = at,
                     .runs = {},
                     .waits = {}});
}

void HtmlFile::fiber_run(std::uint64_t /*fiber*/, os::Nanoseconds begin, os::Nanoseconds end) {
  Rows& runs = fibers_.back().runs;
  begin_row(runs, begin);
  runs.numbers.add(static_cast<std::uint64_t>(std::max<os::Nanoseconds>(end - begin, 0)));
}

void HtmlFile::fiber_wait(std::uint64_t /*fiber*/, std::string_view name, std::uint64_t object,
                          os::Nanoseconds begin, os::Nanoseconds end) {
  Rows& waits = fibers_.back().waits;
  begin_row(waits, begin);
  waits.numbers.add(static_cast<std::uint64_t>(std::max<os::Nanoseconds>(end - begin, 0)));
  waits.numbers.add(index_of("wait", name));
  waits.numbers.add(index_of("object", object == 0 ? std::string() : address_and_name(object)));
}

void HtmlFile::end_life(std::uint64_t /*fiber*/, os::Nanoseconds at) { fibers_.back().end = at; }

void HtmlFile::arrow(Arrow kind, unsigned from_track, os::Nanoseconds from, unsigned to_track,
                     os::Nanoseconds to) {
  arrows_.push_back({.to = to,
                     .length = std::max<os::Nanoseconds>(to - from, 0),
                     .from_track = from_track,
                     .to_track = to_track,
                     .kind = kind});
}

void HtmlFile::begin_object(std::uint64_t object, std::string_view kind) {
  objects_.push_back(
      {.name = std::string(kind) + " " + address_and_name(object), .holds = {}, .waits = {}});
}

void HtmlFile::object_hold(std::string_view who, unsigned track, os::Nanoseconds begin,
                           os::Nanoseconds end) {
  objects_.back().holds.push_back({begin, end - begin, index_of("holder", who), track});
}

void HtmlFile::object_wait(std::string_view who, unsigned track, os::Nanoseconds begin,
                           os::Nanoseconds end) {
  objects_.back().waits.push_back({begin, end - begin, index_of("waiter", who), track});
}

void HtmlFile::frame(std::string_view name, os::Nanoseconds begin, os::Nanoseconds end) {
  Rows& rows = frames_[index_of("frame", name)];
  begin_row(rows, begin);
  rows.numbers.add(static_cast<std::uint64_t>(end - begin));
}

void HtmlFile::write_key(std::string_view key) {
  file_.flush_if_large();
  if (has_member_) buffer_ += ',';
  has_member_ = true;
  buffer_.append("\"").append(key).append("\":");
}

void HtmlFile::write_number(std::string_view key, os::Nanoseconds number) {
  write_key(key);
  buffer_ += digits_of(number);
}

void HtmlFile::write_text(std::string_view key, std::string_view text) {
  write_key(key);
  append_json_text(buffer_, text);
}

void HtmlFile::write_packed(std::string_view key, const PackedNumbers& numbers) {
  write_key(key);
  buffer_ += '"';
  numbers.append_to(buffer_);
  buffer_ += '"';
}

void HtmlFile::write_names() {
  write_key("names");
  write_list(buffer_, names_, [this](const std::string* key) {
    append_json_text(buffer_, std::string_view(*key).substr(key->find('\n') + 1));
    file_.flush_if_large();
  });
  write_key("categories");
  write_list(buffer_, names_, [this](const std::string* key) {
    append_json_text(buffer_, std::string_view(*key).substr(0, key->find('\n')));
    file_.flush_if_large();
  });
}

void HtmlFile::write_tracks() {
  write_key("tracks");
  write_list(buffer_, tracks_, [this](const auto& entry) {
    const auto& [number, track] = entry;
    Rows rows;
    for (const Slice& slice : track.slices) {
      begin_row(rows, slice.begin);
      rows.numbers.add(static_cast<std::uint64_t>(slice.length));
      rows.numbers.add(slice.name);
      rows.numbers.add(slice.depth);
    }
    buffer_ += "\n{";
    has_member_ = false;
    write_number("number", number);
    write_text("name", track.name);
    write_packed("slices", rows.numbers);
    write_packed("marks", track.marks.numbers);
    buffer_ += '}';
  });
}

// Several threads may have set the counter.
void HtmlFile::write_curves() {
  write_key("curves");
  write_list(buffer_, curves_, [this](auto& entry) {
    std::vector<Value> values = entry.second;
    std::sort(values.begin(), values.end(), [](const Value& a, const Value& b) {
      return a.at != b.at ? a.at < b.at : a.order < b.order;
    });
    Rows times;
    for (const Value& value : values) begin_row(times, value.at);
    buffer_ += "\n{";
    has_member_ = false;
    write_number("name", entry.first);
    write_packed("times", times.numbers);
    write_key("values");
    write_list(buffer_, values, [this](const Value& value) {
      // JSON has neither infinities nor NaN.
      buffer_ += std::isfinite(value.value) ? digits_of(value.value) : "null";
    });
    buffer_ += '}';
  });
}

void HtmlFile::write_fibers() {
  write_key("fibers");
  write_list(buffer_, fibers_, [this](const Fiber& fiber) {
    buffer_ += "\n{";
    has_member_ = false;
    write_text("id", std::to_string(fiber.id));
    write_text("name", fiber.name);
    write_number("track", fiber.track);
    write_number("begin", fiber.begin);
    write_number("end", fiber.end);
    write_packed("runs", fiber.runs.numbers);
    write_packed("waits", fiber.waits.numbers);
    buffer_ += '}';
  });
}

void HtmlFile::write_frames() {
  write_key("frames");
  write_list(buffer_, frames_, [this](const auto& entry) {
    buffer_ += "\n{";
    has_member_ = false;
    write_number("name", entry.first);
    write_packed("frames", entry.second.numbers);
    buffer_ += '}';
  });
}

void HtmlFile::write_arrows() {
  sort_by(arrows_, [](const ArrowRow& arrow) { return arrow.to; });
  Rows rows;
  for (const ArrowRow& arrow : arrows_) {
    begin_row(rows, arrow.to);
    rows.numbers.add(static_cast<std::uint64_t>(arrow.length));
    rows.numbers.add(arrow.from_track);
    rows.numbers.add(arrow.to_track);
    rows.numbers.add(static_cast<std::uint64_t>(arrow.kind));
  }
  write_packed("arrows", rows.numbers);
}

void HtmlFile::write_parts(std::string_view key, std::vector<Part>& parts) {
  sort_by(parts, [](const Part& part) { return part.begin; });
  Rows rows;
  for (const Part& part : parts) {
    begin_row(rows, part.begin);
    rows.numbers.add(static_cast<std::uint64_t>(std::max<os::Nanoseconds>(part.length, 0)));
    rows.numbers.add(part.who);
    rows.numbers.add(part.track);
  }
  write_packed(key, rows.numbers);
}

void HtmlFile::write_objects() {
  write_key("objects");
  write_list(buffer_, objects_, [this](Object& object) {
    buffer_ += "\n{";
    has_member_ = false;
    write_text("name", object.name);
    write_parts("holds", object.holds);
    write_parts("waits", object.waits);
    buffer_ += '}';
  });
}

void HtmlFile::finish(os::Nanoseconds length) {
  buffer_ += viewer_page_begin;
  buffer_ += '{';
  has_member_ = false;
  write_number("version", 1);
  write_number("length", length);
  write_names();
  has_member_ = true;
  write_tracks();
  has_member_ = true;
  write_curves();
  has_member_ = true;
  write_fibers();
  has_member_ = true;
  write_frames();
  has_member_ = true;
  write_objects();
  has_member_ = true;
  write_arrows();
  buffer_ += '}';
  buffer_ += viewer_page_end;
  file_.close();
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
