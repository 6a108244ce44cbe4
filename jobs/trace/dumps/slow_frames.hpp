// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SlowFrames: the lengths of frames, and the search for slow ones (JOBS_TRACE_SLOW). Frames of one
// name follow each other, as in the viewer. Any thread.
#pragma once

#include <atomic>

#include "jobs/base/os.hpp"
#include "jobs/trace/dumps/dump_thread.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class SlowFrames {
 public:
  // Searches for frames that take longer than `limit`, until the process ends.
  static void start(DumpThread& dumps, os::Nanoseconds limit) noexcept;
  static bool is_on() noexcept { return dumps_.load(std::memory_order_relaxed) != nullptr; }
  // A frame of that name ends.
  static void frame_ends(const char* name) noexcept;

 private:
  static std::atomic<DumpThread*> dumps_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
