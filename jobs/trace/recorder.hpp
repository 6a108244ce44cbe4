// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Recorder: the observer of the process. It owns a track, a ring with a name, for each thread that
// has recorded an event. A track outlives its thread, until another thread needs it.
//
// Threads: any thread may call all functions. record() takes no lock, except for the first event of
// a thread, and if the thread has become a worker.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/worker.hpp"
#include "jobs/trace/event_ring.hpp"
#include "jobs/trace/trace_clock.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

using jobs::detail::TraceEvent;

// The second word of an event: the kind in the lowest 8 bits, and the length of a text above.
inline constexpr unsigned kKindBits = 8;
inline constexpr std::size_t kTextBytes = 24;
inline constexpr std::size_t kLongestMessage = 240;
inline constexpr std::size_t kLongestFiberName = 72;

class Recorder final : public jobs::detail::TraceObserver {
 public:
  // The events of a thread. `name`: "worker 3", or the name of an external thread.
  struct TrackCopy {
    std::string name;
    std::vector<RawEvent> events;
  };

  constexpr Recorder() noexcept : TraceObserver(&jobs::detail::Worker::traced_loop) {}
  static Recorder& instance() noexcept;

  // Starts and stops one recording; events are recorded while one is active.
  void start() noexcept;
  void stop() noexcept;
  // Returns the events of all threads. Throws std::bad_alloc.
  std::vector<TrackCopy> copy();

  jobs::detail::SwitchObserver* scheduler_starts(jobs::detail::SwitchObserver* hooks) override;
  void record(TraceEvent event, std::uint64_t first, std::uint64_t second) noexcept override;
  void fiber_created(std::uint64_t id, const char* name, const char* file,
                     unsigned line) noexcept override;
  // Records an event with a text of at most `longest` bytes.
  void record_text(TraceEvent event, std::uint64_t first, std::uint64_t second,
                   std::string_view text, std::size_t longest) noexcept;

  struct Track;

 private:
  static void forget_in_child() noexcept;
  Track* track_of_thread() noexcept;
  JOBS_COLD Track* acquire_track() noexcept;
  JOBS_COLD void rename_track(Track& track) noexcept;

  unsigned active_ = 0;  // guarded by the mutex of the tracks
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
