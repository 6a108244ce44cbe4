// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberLives: the pairs of events in the file.
#include "jobs/trace/fiber_lives.hpp"

#include <algorithm>

#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

constexpr std::string_view kWaitPrefix = "wait: ";
// A fiber suspends this time after it can be woken, at the latest.
constexpr os::Nanoseconds kLongestDelay = 100'000;

// Other objects live in the frame of one waiter, or have no address.
bool has_own_track(std::uint64_t wait) noexcept {
  switch (static_cast<WaitKind>(wait >> 56)) {
    case WaitKind::kSharedMutex:
    case WaitKind::kOnceFlag:
    case WaitKind::kSemaphore:
    case WaitKind::kBarrier:
    case WaitKind::kConditionVariable:
    case WaitKind::kChannel:
      return (wait & kObject) != 0;
    default:
      return false;
  }
}

}  // namespace

void FiberLives::created(std::uint64_t fiber, std::string_view name, os::Nanoseconds at) {
  Life& life = lives_[fiber];
  if (life.name.empty()) life.name = name;
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

void FiberLives::waited(std::uint64_t fiber, std::uint64_t key, unsigned track, std::uint64_t wait,
                        os::Nanoseconds begin, os::Nanoseconds end) {
  seen(fiber, track, begin);
  lives_[fiber].waits.push_back({.wait = wait, .key = key, .begin = begin, .end = end});
}

std::string FiberLives::name_of(std::uint64_t fiber) const {
  const auto found = lives_.find(fiber);
  return found != lives_.end() && !found->second.name.empty() ? found->second.name
                                                              : "fiber " + std::to_string(fiber);
}

void FiberLives::write(TraceSink& sink, const TrackLinks& links, os::Nanoseconds end) const {
  for (const auto& [fiber, life] : lives_) {
    os::Nanoseconds last_end = -1;
    const auto since = [&last_end](os::Nanoseconds begin) {
      return std::max(last_end, begin - kLongestDelay);
    };
    for (const Wait& wait : life.waits) {
      if (const TrackLinks::Source* const from =
              links.wake_of(wait.key, since(wait.begin), wait.begin, wait.end))
        sink.arrow(TraceSink::Arrow::kWake, from->track, from->at, life.track, wait.end);
      last_end = wait.end;
    }
    sink.begin_life(fiber, name_of(fiber), life.track, life.begin == kUnknown ? 0 : life.begin);
    for (const Run& run : life.runs) sink.fiber_run(fiber, run.begin, run.end);
    for (const Wait& wait : life.waits)
      sink.fiber_wait(fiber, wait_name(wait.wait), wait.wait & kObject, wait.begin, wait.end);
    sink.end_life(fiber, life.end == kUnknown ? end : life.end);
  }
}

void FiberLives::write_objects(TraceSink& sink) const {
  struct Part {
    const Life* life;
    std::uint64_t fiber;
    const Wait* wait;
  };
  std::map<std::uint64_t, std::vector<Part>> objects;  // by the packed wait: a kind, and an object
  for (const auto& [fiber, life] : lives_) {
    for (const Wait& wait : life.waits) {
      if (has_own_track(wait.wait))
        objects[wait.wait].push_back({.life = &life, .fiber = fiber, .wait = &wait});
    }
  }
  for (const auto& [object, parts] : objects) {
    sink.begin_object(object & kObject, wait_name(object).substr(kWaitPrefix.size()));
    for (const Part& part : parts)
      sink.object_wait(name_of(part.fiber), part.life->track, part.wait->begin, part.wait->end);
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
