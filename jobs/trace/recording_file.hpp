// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of a recording. The ending of its name chooses the format: `.html` is the viewer with
// the recording inside (HtmlFile), `.jtr` is the raw file (raw_file), and any other ending is
// Chrome's format (ChromeFile).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace/recorder.hpp"
#include "jobs/trace/trace_clock.hpp"
#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Writes the events between the two times, which are in ticks. `objects`: the names of objects.
// `jobs`: the names of functions that are none of this process. Throws std::system_error,
// std::bad_alloc.
JOBS_EXPORT void write_recording_file(const std::string& path,
                                      const std::vector<Recorder::TrackCopy>& tracks,
                                      const TraceClock& clock, std::uint64_t begin,
                                      std::uint64_t end, const ObjectNames& objects,
                                      JobNames jobs = {});

// As above, for the events of the process that the recorder has. `last`: only that time before the
// end; 0: all of the time.
void write_recording(const std::string& path, std::uint64_t begin, std::uint64_t end,
                     os::Nanoseconds last = 0);

// The calibration of the clock begins with the first call, so that later recordings are precise.
TimePair start_of_calibration() noexcept;

// Whether the ending is `.html`, `.json` or `.jtr`.
bool has_known_format(std::string_view path) noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
