// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorder: the observer of the process. It owns a track, a ring with a name, for each thread that
// has recorded an event. A track outlives its thread, until another thread needs it.
//
// Recordings store events in the rings; profiles add their times up (ThreadProfile). Both may be
// active at a time.
//
// Threads: any thread may call all functions. record() takes no lock, except for the first event of
// a thread, and if the thread has become a worker.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/trace/event_ring.hpp"
#include "jobs/trace/profile_data.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

using jobs::detail::TraceEvent;

// The second word of an event: the kind in the lowest 8 bits, and the length of a text above.
inline constexpr unsigned kKindBits = 8;
inline constexpr std::size_t kTextBytes = 24;
inline constexpr std::size_t kLongestMessage = 240;
inline constexpr std::size_t kLongestFiberName = 72;

// Calls visit(const RawEvent&) for each event that the text needs.
template <class Visit>
void for_each_text_event(std::string_view text, Visit&& visit) {
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kTextBytes))) {
    const std::size_t size = std::min(text.size(), kTextBytes);
    std::array<std::uint64_t, kTextBytes / sizeof(std::uint64_t)> words{};
    std::memcpy(words.data(), text.data(), size);
    const std::uint64_t kind = static_cast<std::uint64_t>(TraceEvent::kText) | size << kKindBits;
    visit(RawEvent{words[0], kind, words[1], words[2]});
  }
}

// Appends the part of a text that an event has.
inline void append_text(std::string& text, const RawEvent& raw) {
  const std::array<std::uint64_t, kTextBytes / sizeof(std::uint64_t)> words = {raw[0], raw[2],
                                                                               raw[3]};
  std::array<char, kTextBytes> bytes;
  std::memcpy(bytes.data(), words.data(), kTextBytes);
  text.append(bytes.data(), std::min<std::size_t>(raw[1] >> kKindBits, kTextBytes));
}

class Recorder final : public jobs::detail::TraceObserver {
 public:
  // The events of a thread. `name`: "worker 3", or the name of an external thread.
  struct TrackCopy {
    std::string name;
    std::vector<RawEvent> events;
    const void* thread = nullptr;  // as the owner of locks that no fiber owns
    bool is_cut = false;           // the ring has lost its oldest events
    os::Node node = os::kAnyNode;  // to which a worker is bound
  };

  constexpr Recorder() noexcept : TraceObserver(&jobs::detail::Worker::traced_loop) {}
  static Recorder& instance() noexcept;

  // The process that started a recording or a profile. A forked child is another one.
  enum class Starter : unsigned {};
  // Returns the calling process.
  Starter this_process() const noexcept { return process_; }

  // Starts and stops one recording; events are recorded while one is active. In a forked child, the
  // end of a recording or a profile of the parent does nothing.
  Starter start() noexcept;
  // As start() and stop(), with forks.
  Starter start_analysis() noexcept;
  void stop_analysis(Starter starter) noexcept;
  void stop(Starter starter) noexcept;
  // Returns whether a recording is active.
  bool stores_events() const noexcept { return stores_events_.load(std::memory_order_relaxed); }
  // Starts and stops one profile; times are added up while one is active. start_profile() returns
  // the times until then, of earlier profiles, too. Throws std::bad_alloc.
  ProfileData start_profile();
  void stop_profile(Starter starter) noexcept;
  // Returns the times of all workers until now. Throws std::bad_alloc.
  ProfileData read_profile() const;
  // Returns the events of all threads. Throws std::bad_alloc.
  std::vector<TrackCopy> copy();

  jobs::detail::SwitchObserver* scheduler_starts(jobs::detail::SwitchObserver* hooks) override;
  void record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept override;
  // A fiber of the calling thread suspends, ends, resumes or begins.
  void suspended(const jobs::detail::FiberCore& fiber) noexcept;
  void resumed(const jobs::detail::FiberCore& fiber) noexcept;
  void fiber_created(std::uint64_t id, const char* name, const char* file,
                     unsigned line) noexcept override;
  void begin_part(TraceEvent event, std::uint64_t first, std::uint64_t second,
                  jobs::detail::CodeAddress code, std::string_view name) noexcept override;
  // Records an event with a text of at most `longest` bytes.
  void record_text(TraceEvent event, std::uint64_t first, std::uint64_t second,
                   std::string_view text, std::size_t longest) noexcept;

  struct Track;
  // The thread of the track ends. The caller holds the mutex of the tracks.
  void close_profile(Track& track) noexcept;

 private:
  // An event of the calling thread, to be recorded.
  struct Moment {
    Track* track = nullptr;  // null: the event is lost
    bool is_stored = false;  // true: the track has a ring, and a recording is active
    std::uint64_t at = 0;    // in ticks
    std::uint64_t window = 0;
    ThreadProfile* profile = nullptr;  // null: no profile counts the event
  };

  static void forget_in_child() noexcept;
  static void register_for_forks() noexcept;
  void update() noexcept;
  bool has_ring(Track& track) noexcept;
  ThreadProfile* profile_of(Track& track, std::uint64_t window) noexcept;
  template <class Part>
  bool create(std::unique_ptr<Part>& part) noexcept;
  WorkerTimes read_thread(const Track& track, std::uint64_t now, std::uint64_t cpu) const noexcept;
  ProfileData read_tracks(const std::vector<WorkerSighting>& workers) const;
  Moment begin_event() noexcept;
  JOBS_COLD void look_at_faults(Track& track, std::uint64_t now) noexcept;
  Track* track_of_thread() noexcept;
  JOBS_COLD Track* acquire_track() noexcept;
  JOBS_COLD void rename_track(Track& track) noexcept;

  // Changed by the only thread of a new process.
  Starter process_{};
  // Guarded by the mutex of the tracks.
  unsigned recordings_ = 0;
  unsigned analyses_ = 0;
  unsigned profiles_ = 0;
  // Relaxed, as `on_`: they publish nothing.
  std::atomic<bool> stores_events_{false};
  // The time at which the present row of overlapping recordings began, in ticks.
  std::atomic<std::uint64_t> recording_since_{0};
  // The time at which the present row of overlapping profiles began, in ticks; 0: none is active.
  std::atomic<std::uint64_t> window_{0};
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
