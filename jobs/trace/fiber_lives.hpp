// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberLives: the lives of Fibers, and the waits of all fibers, over all tracks. Each is a
// part of the track of that fiber.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/base/os.hpp"
#include "jobs/trace/format/trace_sink.hpp"
#include "jobs/trace/track_links.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class FiberLives {
 public:
  // A name from named() replaces the one at the creation.
  void created(std::uint64_t fiber, std::string_view name, os::Nanoseconds at);
  void named(std::uint64_t fiber, std::string_view name) { lives_[fiber].name = name; }
  // The fiber ran at that time, on the thread of that track.
  void seen(std::uint64_t fiber, unsigned track, os::Nanoseconds at);
  void ended(std::uint64_t fiber, os::Nanoseconds at);
  // It ran without an interruption between the two times.
  void ran(std::uint64_t fiber, unsigned track, os::Nanoseconds begin, os::Nanoseconds end);
  // `key`: trace_key() of the fiber.
  void waited(std::uint64_t fiber, std::uint64_t key, unsigned track, std::uint64_t wait,
              os::Nanoseconds begin, os::Nanoseconds end);

  // "fiber 17", or the name with which the Fiber was created, or its creation site.
  std::string name_of(std::uint64_t fiber) const;
  // Also writes the arrows to the ends of waits.
  void write(TraceSink& sink, const TrackLinks& links, os::Nanoseconds end) const;
  // The waits for objects other than mutexes, which LockLives has.
  void write_objects(TraceSink& sink) const;

 private:
  static constexpr os::Nanoseconds kUnknown = -1;

  struct Wait {
    std::uint64_t wait;
    std::uint64_t key;
    os::Nanoseconds begin;
    os::Nanoseconds end;
  };
  struct Run {
    os::Nanoseconds begin;
    os::Nanoseconds end;
  };
  struct Life {
    std::string name;
    unsigned track = TraceSink::kFramesTrack;
    os::Nanoseconds begin = kUnknown;
    os::Nanoseconds end = kUnknown;
    std::vector<Wait> waits;
    std::vector<Run> runs;
  };

  std::map<std::uint64_t, Life> lives_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
