// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Records when jobs, fibers and workers run and why they wait, for a viewer of traces.
///
/// An optional component, CMake target jobs::trace; jobs.hpp does not include this header. A
/// program that links the component records from its start if the environment variable JOBS_TRACE
/// names a file, such as JOBS_TRACE=run.html. It writes the file at its exit. A browser shows that
/// file without network. A file that ends in .json is for Perfetto (https://ui.perfetto.dev) and
/// chrome://tracing. docs/tracing.md describes the viewer.
///
/// A program records a part of its run by a Recording. Zones, counters, messages and frame marks
/// of the program appear beside the events of the library. While nothing records, each of them
/// takes a call and a load.
///
/// Each thread keeps its last 65,536 events in a ring of at most 2 MiB, which grows with its
/// events. Older events are lost. The names of Fibers are kept.
#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::trace {

/// Records the events of all schedulers and threads while it lives.
///
/// Several recordings may be active at a time; each has its own begin and end. A child of fork()
/// records nothing until it starts a recording. There, the end of a recording of the parent ends no
/// recording of the child.
///
/// @snippet trace.cpp recording
///
/// @thread_safety one thread at a time calls the functions of one object
class Recording {
 public:
  /// Starts to record.
  ///
  /// @complexity O(1)
  /// @thread_safety any thread or fiber, concurrently
  JOBS_EXPORT Recording() noexcept;
  /// Stops, as stop() does.
  JOBS_EXPORT ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Stops to record; further calls do nothing.
  ///
  /// @complexity O(1)
  JOBS_EXPORT void stop() noexcept;

  /// Writes the events from the start to the stop, or until now.
  ///
  /// A file that ends in .html is a page with its viewer. A file that ends in .jtr is a raw
  /// recording, which the program jobs-trace turns into the other formats. Any other file has the
  /// JSON format of Chrome's traces. Events that began before the recording are left out; open ones
  /// end with the file. Names of zones, counters and frames whose memory is gone appear as
  /// "(unloaded)".
  ///
  /// @param path  name of the file; an existing file is replaced
  /// @throws std::system_error if the file cannot be written
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(events)
  JOBS_EXPORT void write(const std::string& path) const;

 private:
  std::uint64_t begin_;
  std::uint64_t end_ = 0;  // 0: it records
  unsigned process_;       // the one that has started it
};

/// Returns whether a recording is active.
///
/// @returns true: events are recorded now
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT bool is_recording() noexcept;

/// Returns a permanent copy of a text, for names that are no literals.
///
/// The copy stays until the end of the process; equal texts share one copy.
///
/// @param text  a name
/// @returns a text with a terminating zero
/// @throws std::bad_alloc if there is no memory
/// @complexity O(length), takes a lock
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT const char* intern(std::string_view text);

/// Names an object that fibers wait for, such as a Mutex, a Semaphore or a Channel.
///
/// Traces, profiles and findings show the name and the place of this call where they show the
/// address of the object otherwise. The call may come before, during or after the recording, until
/// the results are written. In a profile, an Event, a Latch and a Counter have the name that they
/// had when the wait began. A name stays after the end of its object, so that a file at the exit of
/// the program has it. An object that takes the same address later has the same name, until it has
/// a name of its own. The last name counts.
///
/// @snippet trace.cpp object
///
/// @param object  address of the object
/// @param name  at most 100 bytes; the rest is cut. Empty: the place alone is the name.
/// @param place  place of the call, unless it is given
/// @throws Error(kBadArgument) if the object is null
/// @throws std::bad_alloc if there is no memory
/// @complexity O(length + log objects), takes a lock; waits and locks of the object cost the same,
///     except for waits for an Event, a Latch or a Counter while a profile is active
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void name_object(const void* object, std::string_view name = {},
                             std::source_location place = std::source_location::current());

/// Removes the name of an object, such as one of many that live for a short time.
///
/// Results that are written later show the address of the object. A profile keeps the name at
/// earlier waits for an Event, a Latch or a Counter.
///
/// @param object  address of an object; nothing happens if it has no name
/// @complexity O(log objects), takes a lock
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void forget_object(const void* object) noexcept;

/// Records the time from its construction to its destruction.
///
/// Zones of one fiber end in the reverse order of their beginning. A zone may contain waits: the
/// trace shows the parts in which the fiber runs.
///
/// The file has the names that exist when it is written. A plugin that may be unloaded earlier
/// passes results of intern() as names of its zones, counters and frames. The file shows a literal
/// of an unloaded plugin as "(unloaded)", or as other text if other memory lies at its address.
///
/// @snippet trace.cpp zone
///
/// @thread_safety belongs to the fiber or thread that constructs it
class Zone {
 public:
  /// Begins the zone.
  ///
  /// @param name  a string literal, or a result of intern()
  /// @complexity O(1); with its end 20 ns while a recording is active, 4 ns otherwise
  JOBS_EXPORT explicit Zone(const char* name) noexcept;
  /// Ends the zone.
  JOBS_EXPORT ~Zone();
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  const bool recorded_;
};

/// Records the value of a quantity, which the viewer shows as a curve.
///
/// @param name  a string literal, or a result of intern()
/// @param value  value from now on
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void counter(const char* name, double value) noexcept;

/// Records a text at this point in time, on the track of the calling thread.
///
/// @param text  at most 240 bytes; the rest is cut
/// @complexity O(length)
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void message(std::string_view text) noexcept;

/// Marks the end of a frame, and the begin of the next one.
///
/// The viewer shows frames on a track of their own.
///
/// @param name  a string literal, or a result of intern(): names the sequence of frames
/// @complexity O(1)
/// @thread_safety any thread or fiber, concurrently
JOBS_EXPORT void frame(const char* name = "frame") noexcept;

}  // namespace jobs::inline JOBS_ABI::trace
