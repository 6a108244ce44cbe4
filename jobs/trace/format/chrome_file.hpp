// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ChromeFile: a recording in the JSON format of Chrome's traces. README.md has the meaning of each
// kind of event in the file.
//
// A viewer drops an arrow if no slice of the track contains one of its ends: an external thread
// that wakes up has no slice, and a victim of a theft may have none. So such an end has a slice of
// 1 ns. The arrows are written last, when all slices are known.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/trace/format/json_file.hpp"
#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/format/trace_sink.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class ChromeFile final : public TraceSink {
 public:
  // Creates or replaces the file. `objects`: names; they exist while this object does.
  ChromeFile(const std::string& path, const ObjectNames& objects);

  void track(unsigned number, std::string_view name) override;
  void begin_slice(unsigned track, std::string_view category, std::string_view name,
                   os::Nanoseconds at) override;
  void end_slice(unsigned track, os::Nanoseconds at) override;
  void message(unsigned track, std::string_view text, os::Nanoseconds at) override;
  void theft(unsigned track, std::uint64_t jobs, std::string_view victim,
             os::Nanoseconds at) override;
  void timer(unsigned track, os::Nanoseconds lateness, os::Nanoseconds at) override;
  void page_faults(unsigned track, std::uint64_t faults, std::uint64_t stack,
                   os::Nanoseconds at) override;
  void curve(unsigned track, std::string_view name, double value, os::Nanoseconds at) override;
  void begin_life(std::uint64_t fiber, std::string_view name, unsigned track,
                  os::Nanoseconds at) override;
  void fiber_run(std::uint64_t fiber, os::Nanoseconds begin, os::Nanoseconds end) override;
  void fiber_wait(std::uint64_t fiber, std::string_view name, std::uint64_t object,
                  os::Nanoseconds begin, os::Nanoseconds end) override;
  void end_life(std::uint64_t fiber, os::Nanoseconds at) override;
  void arrow(Arrow kind, unsigned from_track, os::Nanoseconds from, unsigned to_track,
             os::Nanoseconds to) override;
  void begin_object(std::uint64_t object, std::string_view kind) override;
  void object_hold(std::string_view who, unsigned track, os::Nanoseconds begin,
                   os::Nanoseconds end) override;
  void frame(std::string_view name, os::Nanoseconds begin, os::Nanoseconds end) override;
  void finish(os::Nanoseconds length) override;

 private:
  // Each begins an object.
  void head(std::string_view phase, unsigned track, os::Nanoseconds at);
  void fiber_head(std::string_view phase, std::uint64_t fiber, os::Nanoseconds at);
  void instant(unsigned track, std::string_view name, std::string_view category,
               os::Nanoseconds at);
  void object_head(std::string_view phase, os::Nanoseconds at);
  void complete(unsigned track, std::string_view category, std::string_view name,
                os::Nanoseconds begin, os::Nanoseconds end);
  void write_name(std::string_view what, unsigned track, std::string_view name);

  // The times of a track that slices contain.
  class Cover {
   public:
    void begin(os::Nanoseconds at) noexcept {
      if (depth_++ == 0) since_ = at;
    }
    void end(os::Nanoseconds at);
    // Adds a slice of its own.
    void add(os::Nanoseconds begin, os::Nanoseconds end) { parts_.emplace(begin, end); }
    bool contains(os::Nanoseconds at) const;

   private:
    std::map<os::Nanoseconds, os::Nanoseconds> parts_;  // the end, by the begin
    unsigned depth_ = 0;
    os::Nanoseconds since_ = 0;  // the begin of the outermost open slice
  };
  struct ArrowEnd {
    unsigned track;
    os::Nanoseconds at;
  };
  struct FlowArrow {
    std::string_view name;
    ArrowEnd from;
    ArrowEnd to;
  };
  void write_arrows();
  void write_arrow_end(const FlowArrow& arrow, std::uint64_t number, bool is_end);

  JsonFile file_;
  const ObjectNames& objects_;
  std::uint64_t object_ = 0;          // the present one
  std::string object_text_;           // its kind and its name
  std::map<unsigned, Cover> covers_;  // by the number of the track
  std::vector<FlowArrow> arrows_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
