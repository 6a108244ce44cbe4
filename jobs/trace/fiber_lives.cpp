// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberLives: the pairs of events in the file.
#include "jobs/trace/fiber_lives.hpp"

#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

void FiberLives::created(std::uint64_t fiber, std::string_view name, os::Nanoseconds at) {
  Life& life = lives_[fiber];
  life.name = name;
  life.begin = at;
}

void FiberLives::seen(std::uint64_t fiber, unsigned track, os::Nanoseconds at) {
  Life& life = lives_[fiber];
  life.track = track;
  if (life.begin == kUnknown || at < life.begin) life.begin = at;
}

void FiberLives::ended(std::uint64_t fiber, os::Nanoseconds at) { lives_[fiber].end = at; }

void FiberLives::ran(std::uint64_t fiber, unsigned track, os::Nanoseconds begin,
                     os::Nanoseconds end) {
  seen(fiber, track, begin);
  lives_[fiber].runs.push_back({.begin = begin, .end = end});
}

void FiberLives::waited(std::uint64_t fiber, unsigned track, std::uint64_t wait,
                        os::Nanoseconds begin, os::Nanoseconds end) {
  seen(fiber, track, begin);
  lives_[fiber].waits.push_back({.wait = wait, .begin = begin, .end = end});
}

std::string FiberLives::name_of(std::uint64_t fiber) const {
  const auto found = lives_.find(fiber);
  return found != lives_.end() && !found->second.name.empty() ? found->second.name
                                                              : "fiber " + std::to_string(fiber);
}

void FiberLives::write(TraceSink& sink, os::Nanoseconds end) const {
  for (const auto& [fiber, life] : lives_) {
    sink.begin_life(fiber, name_of(fiber), life.track, life.begin == kUnknown ? 0 : life.begin);
    for (const Run& run : life.runs) sink.fiber_run(fiber, run.begin, run.end);
    for (const Wait& wait : life.waits)
      sink.fiber_wait(fiber, wait_name(wait.wait), wait.wait & kObject, wait.begin, wait.end);
    sink.end_life(fiber, life.end == kUnknown ? end : life.end);
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
