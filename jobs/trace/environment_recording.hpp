// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// EnvironmentRecording: the recording that the environment variable JOBS_TRACE asks for. It begins
// with the first scheduler of the process, and its file is written at the exit of the process.
// Further variables make the process write files within the run (dumps/dump_settings.hpp).
#pragma once

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class EnvironmentRecording {
 public:
  // Starts the recording, once, if the variable is set. Any thread. Throws Error(kBadEnvironment):
  // the name has another ending than .html, .json and .jtr, or the file cannot be written, or
  // another variable is wrong; a later call tries again.
  static void start_once();

 private:
  static void write_at_exit() noexcept;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
