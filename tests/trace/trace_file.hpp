// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceFile: a file of a recording, as a viewer reads it. The constructor checks what every file
// promises: it is JSON, slices nest on each track, each wait has an end, and each end of an arrow
// lies in a slice.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace.hpp"

namespace jobs::test {

// Times in nanoseconds.
struct TraceSlice {
  std::string track;
  std::string category;
  std::string name;
  double begin;
  double end;
};

// The time of an event, as in a TraceSlice.
inline double nanoseconds_of(const nlohmann::json& event) {
  return event.at("ts").get<double>() * 1000;
}

class TraceFile {
 public:
  explicit TraceFile(const std::string& path);
  // Writes the recording to a temporary file, and reads it.
  static TraceFile of(const trace::Recording& recording);

  // The events of that phase, with that name or that category.
  std::vector<nlohmann::json> named(std::string_view phase, std::string_view name) const;
  std::vector<nlohmann::json> of_category(std::string_view phase, std::string_view category) const;
  // Names of the tracks.
  std::vector<std::string> tracks() const;
  // The slices of threads, by the number of the track and the begin.
  std::vector<TraceSlice> slices() const;
  // The sum of the lengths of the slices with that name, in microseconds.
  double time_in(std::string_view name) const;

 private:
  void check_members() const;
  void check_slices() const;
  void check_lives() const;
  void check_arrows() const;

  nlohmann::json events_;
};

// A name of a file in the folder for temporary files that no other test uses.
std::string temporary_file(std::string_view ending);

}  // namespace jobs::test
