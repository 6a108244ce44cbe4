// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SlowFrames: the last mark of each name.
#include "jobs/trace/dumps/slow_frames.hpp"

#include <map>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

struct Marks {
  std::mutex mutex;
  std::map<std::string, os::Nanoseconds, std::less<>> last;
};

// Never destroyed, because threads may mark frames until the process ends.
Marks& marks() {
  static Marks& only = *new Marks;
  return only;
}

constinit std::atomic<os::Nanoseconds> limit_of_frames{0};

// Returns the length of the frame; 0 if it is the first one.
os::Nanoseconds length_of(std::string_view name, os::Nanoseconds now) {
  const std::scoped_lock lock(marks().mutex);
  const auto found = marks().last.find(name);
  if (found != marks().last.end()) return now - std::exchange(found->second, now);
  marks().last.emplace(name, now);
  return 0;
}

}  // namespace

constinit std::atomic<DumpThread*> SlowFrames::dumps_{nullptr};

void SlowFrames::start(DumpThread& dumps, os::Nanoseconds limit) noexcept {
  limit_of_frames.store(limit, std::memory_order_relaxed);
  dumps_.store(&dumps, std::memory_order_release);
}

void SlowFrames::frame_ends(const char* name) noexcept {
  DumpThread* const dumps = dumps_.load(std::memory_order_acquire);
  if (dumps == nullptr) return;
  try {
    const os::Nanoseconds length = length_of(name, os::now());
    if (length > limit_of_frames.load(std::memory_order_relaxed)) dumps->slow_frame(length);
  } catch (const std::bad_alloc&) {
    // The frame counts as fast.
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
