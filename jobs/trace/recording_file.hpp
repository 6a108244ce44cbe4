// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of a recording. The ending of its name chooses the format: `.html` is the viewer with
// the recording inside (HtmlFile), and any other ending is Chrome's format (ChromeFile).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/trace/recorder.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Writes the events between the two times, which are in ticks. Throws std::system_error,
// std::bad_alloc.
void write_recording_file(const std::string& path, const std::vector<Recorder::TrackCopy>& tracks,
                          const TraceClock& clock, std::uint64_t begin, std::uint64_t end);

// Whether the ending is `.html` or `.json`.
bool has_known_format(std::string_view path) noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
