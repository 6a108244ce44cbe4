// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// DumpSettings: when a run that JOBS_TRACE records writes further files, and what they contain, as
// the environment requires: JOBS_TRACE_SLOW, JOBS_TRACE_LAST, JOBS_TRACE_SIGNAL. Any thread.
#pragma once

#include <string>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

struct DumpSettings {
  std::string path;          // of JOBS_TRACE
  os::Nanoseconds slow = 0;  // A longer frame writes a file; 0: no frame does.
  os::Nanoseconds last = 0;  // Files contain that time before their end; 0: the whole recording.
  int signal = 0;            // This signal writes a file; 0: none does.

  bool wants_thread() const noexcept { return slow != 0 || signal != 0; }
};

// Reads the variables. `path`: the value of JOBS_TRACE; empty: the other variables must be unset.
// Throws Error(kBadEnvironment), std::bad_alloc.
DumpSettings read_dump_settings(std::string path);

// Returns the name with a number before its ending: "run.html", 3: "run-3.html".
std::string numbered(const std::string& path, unsigned number);

}  // namespace jobs::inline JOBS_ABI::trace::detail
