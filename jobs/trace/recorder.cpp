// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorder: the tracks of the threads.
#include "jobs/trace/recorder.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/trace/environment_recording.hpp"
#include "jobs/trace/traced_switches.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

struct Recorder::Track {
  static constexpr std::size_t kEvents = 65'536;

  EventRing<kEvents> ring;
  // Guarded by the mutex.
  std::string name;
  std::uint64_t first = 0;  // Earlier events belong to an earlier thread.
  bool has_thread = true;
  // Of the thread: the worker context for which the track was named.
  const jobs::detail::WorkerContext* named_for = nullptr;
};

namespace {

// Tracks of ended threads that are kept.
constexpr std::size_t kKeptTracks = 64;

struct Tracks {
  std::mutex mutex;
  std::vector<std::unique_ptr<Recorder::Track>> all;
};

// Never destroyed, because threads may record until the process ends.
Tracks& tracks() {
  static Tracks& only = *new Tracks;
  return only;
}

// The track of the calling thread; it has no destructor, so it is valid until the thread ends.
constinit thread_local Recorder::Track* current_track = nullptr;
constinit thread_local bool has_ended = false;

// Leaves the track at the end of the thread.
struct TrackEnd {
  ~TrackEnd() {
    has_ended = true;
    if (current_track == nullptr) return;
    const std::scoped_lock lock(tracks().mutex);
    current_track->has_thread = false;
    current_track = nullptr;
  }
};

void leave_at_end_of_thread() { static thread_local const TrackEnd end; }

std::string name_of_thread() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return "thread " + std::to_string(gettid()) + " (" + name.data() + ")";
}

constinit Recorder the_recorder;

}  // namespace

Recorder& Recorder::instance() noexcept { return the_recorder; }

void Recorder::start() noexcept {
  static const int registered = pthread_atfork(nullptr, nullptr, &forget_in_child);
  static_cast<void>(registered);
  const std::scoped_lock lock(tracks().mutex);
  ++active_;
  on_.store(true, std::memory_order_relaxed);
}

void Recorder::stop() noexcept {
  const std::scoped_lock lock(tracks().mutex);
  if (active_ == 0) return;  // in a forked child
  if (--active_ == 0) on_.store(false, std::memory_order_relaxed);
}

// A forked child has no recording. A thread of the parent may have held the mutex.
void Recorder::forget_in_child() noexcept {
  the_recorder.on_.store(false, std::memory_order_relaxed);
  the_recorder.active_ = 0;
  new (&tracks().mutex) std::mutex;
}

std::vector<Recorder::TrackCopy> Recorder::copy() {
  std::vector<TrackCopy> copies;
  const std::scoped_lock lock(tracks().mutex);
  for (const auto& track : tracks().all)
    copies.push_back({.name = track->name, .events = track->ring.copy(track->first)});
  return copies;
}

jobs::detail::SwitchObserver* Recorder::scheduler_starts(jobs::detail::SwitchObserver* hooks) {
  EnvironmentRecording::start_once();
  return TracedSwitches::of(hooks);
}

Recorder::Track* Recorder::track_of_thread() noexcept {
  Track* track = current_track;
  if (track == nullptr) [[unlikely]]
    track = acquire_track();
  if (track != nullptr && track->named_for != jobs::detail::this_context()) [[unlikely]]
    rename_track(*track);
  return track;
}

// Returns null if there is no memory, or if the thread ends.
Recorder::Track* Recorder::acquire_track() noexcept {
  if (has_ended) return nullptr;
  try {
    leave_at_end_of_thread();
    std::string name = name_of_thread();
    const std::scoped_lock lock(tracks().mutex);
    auto& all = tracks().all;
    const auto is_free = [](const auto& track) { return !track->has_thread; };
    const auto free = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), is_free));
    if (free < kKeptTracks) {
      all.push_back(std::make_unique<Track>());
    } else {
      // The thread that ended first has the first free track. It moves to the end.
      const auto oldest = std::find_if(all.begin(), all.end(), is_free);
      std::rotate(oldest, oldest + 1, all.end());
    }
    Track& track = *all.back();
    track.name = std::move(name);
    track.first = track.ring.count();
    track.has_thread = true;
    track.named_for = nullptr;
    return current_track = &track;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// Names the track of a thread that has become a worker.
void Recorder::rename_track(Track& track) noexcept {
  track.named_for = jobs::detail::this_context();
  if (track.named_for == nullptr || track.named_for->is_external()) return;
  const char* const name = track.named_for->worker()->describe();
  const std::scoped_lock lock(tracks().mutex);
  try {
    track.name = name;
  } catch (const std::bad_alloc&) {
    track.name.clear();
  }
}

void Recorder::record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept {
  if (Track* const track = track_of_thread())
    track->ring.push({TraceClock::ticks(), static_cast<std::uint64_t>(event), first, second});
}

void Recorder::record_text(TraceEvent event, std::uint64_t first, std::uint64_t second,
                           std::string_view text, std::size_t longest) noexcept {
  Track* const track = track_of_thread();
  if (track == nullptr) return;
  text = text.substr(0, longest);
  track->ring.push({TraceClock::ticks(), static_cast<std::uint64_t>(event), first, second});
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kTextBytes);
    std::array<std::uint64_t, kTextBytes / sizeof(std::uint64_t)> words{};
    std::memcpy(words.data(), part.data(), part.size());
    const std::uint64_t kind = static_cast<std::uint64_t>(TraceEvent::kText) | part.size()
                                                                                   << kKindBits;
    track->ring.push({words[0], kind, words[1], words[2]});
    text.remove_prefix(part.size());
  }
}

// A Fiber without a name has its creation site instead.
void Recorder::fiber_created(std::uint64_t id, const char* name, const char* file,
                             unsigned line) noexcept {
  std::array<char, kLongestFiberName + 1> text;
  if (name != nullptr) {
    std::snprintf(text.data(), text.size(), "%s", name);
  } else {
    const char* const slash = std::strrchr(file, '/');
    std::snprintf(text.data(), text.size(), "%s:%u", slash != nullptr ? slash + 1 : file, line);
  }
  record_text(TraceEvent::kFiberCreate, id, line, text.data(), kLongestFiberName);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail

namespace jobs::inline JOBS_ABI::detail {

// The address of a static object: initialised before any code runs.
extern constinit TraceObserver* const linked_trace_observer = &trace::detail::the_recorder;

}  // namespace jobs::inline JOBS_ABI::detail

// The link options of the component name this symbol, so that a static program contains this file.
// NOLINTNEXTLINE(readability-identifier-naming): a name for linkers
extern "C" JOBS_EXPORT const char jobs_trace_is_linked;
const char jobs_trace_is_linked = 1;
