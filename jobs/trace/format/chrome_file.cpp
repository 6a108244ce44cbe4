// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChromeFile: one JSON object for each event.
#include "jobs/trace/format/chrome_file.hpp"

#include <iterator>

namespace jobs::inline JOBS_ABI::trace::detail {

ChromeFile::ChromeFile(const std::string& path, const ObjectNames& objects)
    : file_(path), objects_(objects) {
  write_name("process_name", kFramesTrack, "jobs");
  write_name("thread_name", kFramesTrack, "frames");
}

void ChromeFile::write_name(std::string_view what, unsigned track, std::string_view name) {
  file_.begin_object();
  file_.text("ph", "M");
  file_.text("name", what);
  file_.number("pid", 1);
  file_.number("tid", track);
  file_.begin_arguments();
  file_.text("name", name);
  file_.end_arguments();
  file_.end_object();
}

void ChromeFile::track(unsigned number, std::string_view name) {
  write_name("thread_name", number, name);
}

void ChromeFile::head(std::string_view phase, unsigned track, os::Nanoseconds at) {
  file_.begin_object();
  file_.text("ph", phase);
  file_.number("pid", 1);
  file_.number("tid", track);
  file_.microseconds("ts", at);
}

void ChromeFile::begin_slice(unsigned track, std::string_view category, std::string_view name,
                             os::Nanoseconds at) {
  covers_[track].begin(at);
  head("B", track, at);
  file_.text("name", name);
  file_.text("cat", category);
  file_.end_object();
}

void ChromeFile::end_slice(unsigned track, os::Nanoseconds at) {
  covers_[track].end(at);
  head("E", track, at);
  file_.end_object();
}

void ChromeFile::instant(unsigned track, std::string_view name, std::string_view category,
                         os::Nanoseconds at) {
  head("i", track, at);
  file_.text("s", "t");
  file_.text("name", name);
  file_.text("cat", category);
}

void ChromeFile::message(unsigned track, std::string_view text, os::Nanoseconds at) {
  instant(track, text, "message", at);
  file_.end_object();
}

void ChromeFile::theft(unsigned track, std::uint64_t jobs, std::string_view victim,
                       os::Nanoseconds at) {
  instant(track, "steal", "worker", at);
  file_.begin_arguments();
  file_.number("jobs", jobs);
  file_.text("victim", victim);
  file_.end_arguments();
  file_.end_object();
}

void ChromeFile::timer(unsigned track, os::Nanoseconds lateness, os::Nanoseconds at) {
  instant(track, "timer", "worker", at);
  file_.begin_arguments();
  file_.microseconds("late", lateness);
  file_.end_arguments();
  file_.end_object();
}

void ChromeFile::page_faults(unsigned track, std::uint64_t faults, std::uint64_t stack,
                             os::Nanoseconds at) {
  instant(track, "page faults", "worker", at);
  file_.begin_arguments();
  file_.number("faults", faults);
  if (stack != 0) file_.number("stack", stack);
  file_.end_arguments();
  file_.end_object();
}

void ChromeFile::curve(unsigned track, std::string_view name, double value, os::Nanoseconds at) {
  head("C", track, at);
  file_.text("name", name);
  file_.begin_arguments();
  file_.real("value", value);
  file_.end_arguments();
  file_.end_object();
}

void ChromeFile::fiber_head(std::string_view phase, std::uint64_t fiber, os::Nanoseconds at) {
  file_.begin_object();
  file_.text("ph", phase);
  file_.text("cat", "fiber");
  file_.hexadecimal("id", fiber);
  file_.number("pid", 1);
  file_.number("tid", kFramesTrack);
  file_.microseconds("ts", at);
}

void ChromeFile::begin_life(std::uint64_t fiber, std::string_view name, unsigned /*track*/,
                            os::Nanoseconds at) {
  fiber_head("b", fiber, at);
  file_.text("name", name);
  file_.end_object();
}

// The slices of the thread show the runs.
void ChromeFile::fiber_run(std::uint64_t /*fiber*/, os::Nanoseconds /*begin*/,
                           os::Nanoseconds /*end*/) {}

void ChromeFile::fiber_wait(std::uint64_t fiber, std::string_view name, std::uint64_t object,
                            os::Nanoseconds begin, os::Nanoseconds end) {
  fiber_head("b", fiber, begin);
  file_.text("name", name);
  file_.begin_arguments();
  file_.hexadecimal("object", object);
  if (const std::string_view of_object = objects_.of(object); !of_object.empty())
    file_.text("object_name", of_object);
  file_.end_arguments();
  file_.end_object();
  end_life(fiber, end);
}

void ChromeFile::end_life(std::uint64_t fiber, os::Nanoseconds at) {
  fiber_head("e", fiber, at);
  file_.end_object();
}

void ChromeFile::arrow(Arrow kind, unsigned from_track, os::Nanoseconds from, unsigned to_track,
                       os::Nanoseconds to) {
  const std::string_view name = kind == Arrow::kSpawn  ? "spawn"
                                : kind == Arrow::kWake ? "wake"
                                                       : "theft";
  arrows_.push_back({.name = name,
                     .from = {.track = from_track, .at = from},
                     .to = {.track = to_track, .at = to}});
}

// Slices that follow each other without a gap are one part.
void ChromeFile::Cover::end(os::Nanoseconds at) {
  if (depth_ == 0 || --depth_ != 0 || at == since_) return;
  if (!parts_.empty() && parts_.rbegin()->second == since_) {
    parts_.rbegin()->second = at;
  } else {
    parts_.emplace(since_, at);
  }
}

bool ChromeFile::Cover::contains(os::Nanoseconds at) const {
  const auto after = parts_.upper_bound(at);
  return after != parts_.begin() && at < std::prev(after)->second;
}

void ChromeFile::write_arrows() {
  std::uint64_t number = 0;
  for (const FlowArrow& arrow : arrows_) {
    ++number;
    write_arrow_end(arrow, number, false);
    write_arrow_end(arrow, number, true);
  }
}

void ChromeFile::write_arrow_end(const FlowArrow& arrow, std::uint64_t number, bool is_end) {
  const auto [track, at] = is_end ? arrow.to : arrow.from;
  if (Cover& cover = covers_[track]; !cover.contains(at)) {
    constexpr os::Nanoseconds kShortest = 1;
    cover.add(at, at + kShortest);
    complete(track, "arrow", arrow.name, at, at + kShortest);
  }
  head(is_end ? "f" : "s", track, at);
  if (is_end) file_.text("bp", "e");  // It ends at the slice around it, which may begin there.
  file_.number("id", number);
  file_.text("name", arrow.name);
  file_.text("cat", "arrow");
  file_.end_object();
}

void ChromeFile::begin_object(std::uint64_t object, std::string_view kind) {
  object_ = object;
  object_text_ = objects_.describe(kind, object);
}

void ChromeFile::object_head(std::string_view phase, os::Nanoseconds at) {
  file_.begin_object();
  file_.text("ph", phase);
  file_.text("cat", "lock");
  file_.hexadecimal("id", object_);
  file_.number("pid", 1);
  file_.number("tid", kFramesTrack);
  file_.microseconds("ts", at);
  file_.text("name", "hold " + object_text_);
}

// The lives of fibers have their waits.
void ChromeFile::object_hold(std::string_view who, unsigned /*track*/, os::Nanoseconds begin,
                             os::Nanoseconds end) {
  object_head("b", begin);
  file_.begin_arguments();
  file_.text("owner", who);
  file_.end_arguments();
  file_.end_object();
  object_head("e", end);
  file_.end_object();
}

void ChromeFile::complete(unsigned track, std::string_view category, std::string_view name,
                          os::Nanoseconds begin, os::Nanoseconds end) {
  head("X", track, begin);
  file_.microseconds("dur", end - begin);
  file_.text("name", name);
  file_.text("cat", category);
  file_.end_object();
}

void ChromeFile::frame(std::string_view name, os::Nanoseconds begin, os::Nanoseconds end) {
  complete(kFramesTrack, "frame", name, begin, end);
}

void ChromeFile::finish(os::Nanoseconds /*length*/) {
  write_arrows();
  file_.finish();
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
