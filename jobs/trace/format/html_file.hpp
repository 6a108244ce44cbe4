// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// HtmlFile: a recording as one page of HTML, which contains its viewer and needs no network.
// README.md has the format of the recording in the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/format/output_file.hpp"
#include "jobs/trace/format/packed_numbers.hpp"
#include "jobs/trace/format/trace_sink.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class HtmlFile final : public TraceSink {
 public:
  // Creates or replaces the file. The functions collect; finish() writes. `objects`: names; they
  // exist while this object does.
  HtmlFile(const std::string& path, const ObjectNames& objects);

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
  void object_wait(std::string_view who, unsigned track, os::Nanoseconds begin,
                   os::Nanoseconds end) override;
  void frame(std::string_view name, os::Nanoseconds begin, os::Nanoseconds end) override;
  void finish(os::Nanoseconds length) override;

 private:
  struct Slice {
    os::Nanoseconds begin;
    os::Nanoseconds length;
    std::uint32_t name;
    std::uint32_t depth;
  };
  // Rows of numbers, each of which begins with a time. The rows have the time since the row before.
  struct Rows {
    PackedNumbers numbers;
    os::Nanoseconds last = 0;
  };
  struct Track {
    std::string name;
    std::vector<Slice> slices;
    std::vector<std::size_t> open;  // indices of slices, outermost first
    Rows marks;
  };
  struct Value {
    os::Nanoseconds at;
    std::size_t order;  // of equal times
    double value;
  };
  struct Fiber {
    std::uint64_t id;
    std::string name;
    unsigned track;
    os::Nanoseconds begin;
    os::Nanoseconds end;
    Rows runs;
    Rows waits;
  };

  struct ArrowRow {
    os::Nanoseconds to;
    os::Nanoseconds length;
    unsigned from_track;
    unsigned to_track;
    Arrow kind;
  };
  // A hold of an object, or a wait for it.
  struct Part {
    os::Nanoseconds begin;
    os::Nanoseconds length;
    std::uint32_t who;
    unsigned track;
  };
  struct Object {
    std::string name;
    std::vector<Part> holds;
    std::vector<Part> waits;
  };

  // Returns the index of a name of that category.
  std::uint32_t index_of(std::string_view category, std::string_view name);
  static void begin_row(Rows& rows, os::Nanoseconds at);
  // Returns the address of an object, and its name behind it.
  std::string address_and_name(std::uint64_t object) const;

  void write_names();
  void write_tracks();
  void write_curves();
  void write_fibers();
  void write_frames();
  void write_arrows();
  void write_objects();
  void write_parts(std::string_view key, std::vector<Part>& parts);
  void write_key(std::string_view key);
  void write_number(std::string_view key, os::Nanoseconds number);
  void write_text(std::string_view key, std::string_view text);
  void write_packed(std::string_view key, const PackedNumbers& numbers);

  OutputFile file_;
  const ObjectNames& object_names_;
  std::string& buffer_ = file_.buffer();
  bool has_member_ = false;
  std::unordered_map<std::string, std::uint32_t> indices_;  // of category, line break, name
  std::vector<const std::string*> names_;                   // the keys of indices_
  std::map<unsigned, Track> tracks_;
  std::map<std::uint32_t, std::vector<Value>> curves_;
  std::vector<Fiber> fibers_;
  std::map<std::uint32_t, Rows> frames_;
  std::vector<ArrowRow> arrows_;
  std::vector<Object> objects_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
