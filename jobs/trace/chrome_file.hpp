// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The file of a recording in the format of Chrome's traces. README.md has the meaning of each kind
// of event in the file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/trace/recorder.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// Writes the events between the two times, which are in ticks. Throws std::system_error,
// std::bad_alloc.
void write_chrome_file(const std::string& path, const std::vector<Recorder::TrackCopy>& tracks,
                       const TraceClock& clock, std::uint64_t begin, std::uint64_t end);

}  // namespace jobs::inline JOBS_ABI::trace::detail
