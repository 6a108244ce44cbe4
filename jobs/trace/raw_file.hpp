// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The raw file of a recording, `.jtr`: the events as the rings have them, in about a sixth of their
// size. tools/raw_reader reads it. docs/tracing.md has the layout.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

inline constexpr std::string_view kRawMagic = "jobs.jtr";
inline constexpr std::uint64_t kRawVersion = 4;
inline constexpr std::string_view kRawEnding = ".jtr";
inline constexpr std::size_t kLongestRawName = 4096;  // bytes; the rest is cut

// What the first value of an event is.
enum class FirstValue : std::uint8_t {
  kNumber,
  kName,      // the address of a text
  kFunction,  // the address of a function
};
constexpr FirstValue first_value_of(TraceEvent event) noexcept {
  switch (event) {
    case TraceEvent::kJobBegin:
    case TraceEvent::kBlockingBegin:
    case TraceEvent::kPartCode:
    case TraceEvent::kCallBegin:
      return FirstValue::kFunction;
    case TraceEvent::kZoneBegin:
    case TraceEvent::kCounter:
    case TraceEvent::kFrame:
      return FirstValue::kName;
    default:
      return FirstValue::kNumber;
  }
}

// Returns the kind of an event; the value may be none of TraceEvent.
constexpr TraceEvent kind_of(const RawEvent& raw) noexcept {
  return static_cast<TraceEvent>(raw[1] & ((1u << kKindBits) - 1));
}

// Writes the events between the two times, which are in ticks, and the names of objects. Throws
// std::system_error, std::bad_alloc.
void write_raw_file(const std::string& path, const std::vector<Recorder::TrackCopy>& tracks,
                    const TraceClock& clock, std::uint64_t begin, std::uint64_t end,
                    const ObjectNames& objects);

}  // namespace jobs::inline JOBS_ABI::trace::detail
