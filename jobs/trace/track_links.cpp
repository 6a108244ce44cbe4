// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TrackLinks and LockLives: the pairs of events.
#include "jobs/trace/track_links.hpp"

#include <algorithm>
#include <iterator>

#include "jobs/fiber/fiber_core.hpp"
#include "jobs/trace/format/sort_by.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

using jobs::detail::TraceEvent;

void TrackLinks::add(TraceEvent kind, std::uint64_t first, std::uint64_t second, os::Nanoseconds at,
                     unsigned track) {
  const Event event{.source = {.at = at, .track = track}, .value = second};
  if (kind == TraceEvent::kSpawn) spawns_[first][at] = event;
  if (kind == TraceEvent::kWakeFiber) wakes_[first][at] = event;
  if (kind == TraceEvent::kReady) readies_[first][at] = event;
  if (kind == TraceEvent::kWakeWorker) workers_[first][at] = event;
}

const TrackLinks::Event* TrackLinks::last_of(const ByKey& events, std::uint64_t key,
                                             os::Nanoseconds begin, os::Nanoseconds end) {
  const auto found = events.find(key);
  if (found == events.end()) return nullptr;
  const auto after = found->second.upper_bound(end);
  if (after == found->second.begin()) return nullptr;
  const Event& last = std::prev(after)->second;
  return last.source.at > begin ? &last : nullptr;
}

const TrackLinks::Source* TrackLinks::spawn_of(std::uint64_t job, os::Nanoseconds at) const {
  const Event* const spawn = last_of(spawns_, job, -1, at);
  return spawn != nullptr ? &spawn->source : nullptr;
}

// Another thread may send its wake-up before the fiber suspends; the fiber becomes ready
// afterwards.
const TrackLinks::Source* TrackLinks::wake_of(std::uint64_t key, os::Nanoseconds since,
                                              os::Nanoseconds begin, os::Nanoseconds end) const {
  const Event* const ready = last_of(readies_, key, begin - 1, end);
  if (ready == nullptr || ready->value == jobs::detail::kTimeout) return nullptr;
  const Event* const wake = last_of(wakes_, key, since, ready->source.at);
  return wake != nullptr ? &wake->source : &ready->source;
}

const TrackLinks::Source* TrackLinks::waker_of(std::uint64_t host, os::Nanoseconds begin,
                                               os::Nanoseconds end) const {
  const Event* const wake = last_of(workers_, host, begin - 1, end);
  return wake != nullptr ? &wake->source : nullptr;
}

void LockLives::write(TraceSink& sink) {
  for (auto& [address, lock] : locks_) {
    if (lock.waits.empty())
      continue;  // The release of a semaphore, or a wait that the ring has lost.
    sort_by(lock.events, [](const Event& event) { return event.at; });
    sink.begin_object(address, "Mutex");
    write_holds(sink, lock.events);
    for (const Wait& wait : lock.waits)
      sink.object_wait(wait.who, wait.track, wait.begin, wait.end);
  }
}

// A hold begins with the end of a wait, or when a waiter has found the lock owned. It ends with a
// release that wakes a waiter, or when a waiter that spins gets the lock. A release that nobody
// waits for has no event, so such a hold is left out.
void LockLives::write_holds(TraceSink& sink, const std::vector<Event>& events) {
  constexpr os::Nanoseconds kNone = -1;
  const Event* owner = nullptr;  // got the lock while others waited
  os::Nanoseconds waited_since = kNone;
  unsigned waiters = 0;
  const auto write_hold = [&](const Event* holder, os::Nanoseconds end) {
    const os::Nanoseconds begin = owner != nullptr ? owner->at : waited_since;
    if (begin == kNone) return;
    sink.object_hold(holder != nullptr ? holder->who : "unknown",
                     holder != nullptr ? holder->track : TraceSink::kFramesTrack, begin, end);
  };
  for (const Event& event : events) {
    if (event.kind == TraceEvent::kLockWait) {
      ++waiters;
      if (owner == nullptr && waited_since == kNone && event.has_owner) waited_since = event.at;
      continue;
    }
    const bool is_release = event.kind == TraceEvent::kLockFree;
    if (!is_release && waiters > 0) --waiters;
    if (event.kind == TraceEvent::kLockLost && waiters > 0) continue;
    if (event.kind != TraceEvent::kLockLost) write_hold(is_release ? &event : owner, event.at);
    owner = event.kind == TraceEvent::kLockHeld && waiters > 0 ? &event : nullptr;
    waited_since = kNone;
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
