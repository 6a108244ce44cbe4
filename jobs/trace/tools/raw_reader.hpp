// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RawReader: reads a raw file of a recording (raw_file.hpp), and writes it in another format. The
// file may have any contents. One thread calls the functions.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace/raw_file.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class RawReader {
 public:
  // Throws std::runtime_error with one line: the file cannot be read, is none of these files, has
  // another version, or is damaged. std::bad_alloc.
  explicit RawReader(const std::string& path);

  // Writes an `.html` or `.json` file. Throws std::system_error, std::bad_alloc.
  void write(const std::string& path) const;

 private:
  struct Name {
    FirstValue kind;
    std::string text;
  };

  [[noreturn]] void fail(const std::string& what) const;
  std::string_view bytes(std::uint64_t count);
  std::uint64_t number();
  std::int64_t difference();
  void read_names();
  void read_objects();
  void read_track();
  RawEvent read_event(std::uint64_t& last);
  std::uint64_t address_of(std::uint64_t index, FirstValue kind) const;

  const std::string path_;
  std::string contents_;
  std::size_t at_ = 0;
  std::uint64_t begin_ = 0;
  std::uint64_t length_ = 0;  // in ticks
  std::uint64_t length_ns_ = 0;
  std::deque<Name> names_;  // The addresses of the texts stay.
  ObjectNames objects_;
  std::vector<Recorder::TrackCopy> tracks_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
