// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TraceSink: receives the parts of a recording, which a file format writes. One thread calls all
// functions. They throw std::system_error if the file cannot be written, and std::bad_alloc.
//
// Order: track() names a track before its slices. The slices of a track nest, and the times of a
// track ascend. The lives of fibers come after all tracks, and then the objects and the frames.
// Arrows come at any time after track(), in no order. `at`, `begin` and `end` are nanoseconds since
// the begin of the recording.
#pragma once

#include <cstdint>
#include <string_view>

#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class TraceSink {
 public:
  virtual ~TraceSink() = default;

  // Number of the track of frames. The tracks of threads begin at 1.
  static constexpr unsigned kFramesTrack = 0;

  virtual void track(unsigned number, std::string_view name) = 0;
  virtual void begin_slice(unsigned track, std::string_view category, std::string_view name,
                           os::Nanoseconds at) = 0;
  virtual void end_slice(unsigned track, os::Nanoseconds at) = 0;
  virtual void message(unsigned track, std::string_view text, os::Nanoseconds at) = 0;
  virtual void theft(unsigned track, std::uint64_t jobs, std::string_view victim,
                     os::Nanoseconds at) = 0;
  // A deadline was served.
  virtual void timer(unsigned /*track*/, os::Nanoseconds /*lateness*/, os::Nanoseconds /*at*/) {}
  // The thread has had this number of page faults shortly before. `stack`: how many bytes of the
  // running stack are in memory, or 0: unknown.
  virtual void page_faults(unsigned /*track*/, std::uint64_t /*faults*/, std::uint64_t /*stack*/,
                           os::Nanoseconds /*at*/) {}
  virtual void curve(unsigned track, std::string_view name, double value, os::Nanoseconds at) = 0;

  // The runs of a fiber come in their order between the two calls, and then its waits. `track`: of
  // the thread on which the fiber ran, or kFramesTrack if it never ran.
  virtual void begin_life(std::uint64_t fiber, std::string_view name, unsigned track,
                          os::Nanoseconds at) = 0;
  virtual void fiber_run(std::uint64_t fiber, os::Nanoseconds begin, os::Nanoseconds end) = 0;
  virtual void fiber_wait(std::uint64_t fiber, std::string_view name, std::uint64_t object,
                          os::Nanoseconds begin, os::Nanoseconds end) = 0;
  virtual void end_life(std::uint64_t fiber, os::Nanoseconds at) = 0;

  // Something on one track leads to something on the other one, or on the same. kWake leads to the
  // end of a wait, also on the track of the fiber, or to the end of the sleep of a worker.
  enum class Arrow : std::uint8_t { kSpawn, kWake, kSteal };
  virtual void arrow(Arrow /*kind*/, unsigned /*from_track*/, os::Nanoseconds /*from*/,
                     unsigned /*to_track*/, os::Nanoseconds /*to*/) {}

  // A lock or another object of waits; the fibers that held it, and those that waited, come after
  // it. `who`: a name. `track`: of the thread.
  virtual void begin_object(std::uint64_t /*object*/, std::string_view /*kind*/) {}
  virtual void object_hold(std::string_view /*who*/, unsigned /*track*/, os::Nanoseconds /*begin*/,
                           os::Nanoseconds /*end*/) {}
  virtual void object_wait(std::string_view /*who*/, unsigned /*track*/, os::Nanoseconds /*begin*/,
                           os::Nanoseconds /*end*/) {}

  virtual void frame(std::string_view name, os::Nanoseconds begin, os::Nanoseconds end) = 0;
  // Completes the file. `length`: of the recording.
  virtual void finish(os::Nanoseconds length) = 0;

 protected:
  TraceSink() = default;
  TraceSink(const TraceSink&) = delete;
  TraceSink& operator=(const TraceSink&) = delete;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
