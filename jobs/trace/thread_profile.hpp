// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadProfile: where the time of one worker goes. It turns the events of the worker into times of
// its states, of the functions of jobs and Fibers, and of the sites of waits. It stores no events,
// so a run of any length can be profiled.
//
// The thread of the worker calls all functions but times(), functions() and waits(), whose results
// any thread may read concurrently. The recorder owns the objects.
#pragma once

#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "jobs/base/os.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/trace/state_clock.hpp"
#include "jobs/trace/suspended_fibers.hpp"
#include "jobs/trace/time_table.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

class ThreadProfile {
 public:
  ThreadProfile() = default;
  ThreadProfile(const ThreadProfile&) = delete;
  ThreadProfile& operator=(const ThreadProfile&) = delete;

  // The events of the worker. `window`: the time at which the present profile began. An event of a
  // later window than the last event makes the profile leave out the time between the two windows.
  void record(jobs::detail::TraceEvent event, std::uint64_t first, std::uint64_t now,
              std::uint64_t window) noexcept;
  // A node, a stage or a call begins within the code that runs. The end is an event of record().
  // `code`: its function. `name`: stands for the function, unless it is empty.
  void begin_part(std::uint64_t code, std::string_view name, std::uint64_t now,
                  std::uint64_t window) noexcept;
  void suspend(const jobs::detail::FiberCore& fiber, std::uint64_t now,
               std::uint64_t window) noexcept;
  void resume(const jobs::detail::FiberCore& fiber, std::uint64_t now,
              std::uint64_t window) noexcept;

  // Times in ticks, with the present state until `now`.
  StateTimes times(std::uint64_t now) const noexcept { return clock_.read(now); }
  const TimeTable& functions() const noexcept { return functions_; }
  const TimeTable& waits() const noexcept { return waits_; }
  // The window of the last event.
  std::uint64_t window() const noexcept { return window_.load(std::memory_order_relaxed); }
  // The CPU time of the thread at the first event, in nanoseconds; and the time that the thread had
  // been awake by then, in ticks.
  std::uint64_t cpu_at_first() const noexcept { return cpu_at_first_.read(); }
  std::uint64_t awake_at_first() const noexcept { return awake_at_first_.read(); }

 private:
  struct Run {
    TimeTable::Entry* entry = nullptr;  // null: unknown, or none
    std::uint64_t run = 0;              // time in ticks until the last resumption
  };
  // Parts within each other that have times of their own. A node may run a graph.
  static constexpr std::size_t kMostParts = 3;
  // The code that the current fiber runs.
  struct Frame : Run {
    std::array<Run, kMostParts> outer{};  // what contains the part, outermost first
    std::size_t parts = 0;                // that are open; may be more than kMostParts
  };
  struct Note {
    std::uint64_t since = 0;
    TimeTable::Entry* wait = nullptr;
    Frame frame;
  };

  // Changes the state. `before`: the state that the event has ended, if this is known.
  void enter(WorkerState next, WorkerState before, std::uint64_t now,
             std::uint64_t window) noexcept;
  JOBS_COLD void enter_window(WorkerState before, std::uint64_t now, std::uint64_t window) noexcept;
  // The times of the thread in the kernel's figures.
  struct Reading {
    os::Nanoseconds at = 0;
    os::Nanoseconds cpu = 0;
    std::uint64_t blocks = 0;  // number of times that it has suspended itself
    std::uint64_t faults = 0;  // page faults without input
  };
  // The current frame is about to run, or has run until `now`. Both read the kernel's figures if
  // enough time has passed, because a call of the system takes as long as many jobs.
  void before_run(std::uint64_t now) noexcept;
  void after_run(std::uint64_t now) noexcept;
  JOBS_COLD static Reading read_kernel() noexcept;

  // The site of the wait that the current frame begins.
  TimeTable::Entry& site_of_wait(const jobs::detail::FiberCore& fiber) noexcept;

  void enter_if_new(std::uint64_t now, std::uint64_t window) noexcept;
  void end_part(std::uint64_t now) noexcept;
  void begin(TimeTable::Entry& entry, std::uint64_t now) noexcept;
  void end(std::uint64_t now) noexcept;

  StateClock clock_;
  TimeTable functions_;
  TimeTable waits_;
  jobs::detail::SingleWriterCounter cpu_at_first_;
  jobs::detail::SingleWriterCounter awake_at_first_;
  // Relaxed: readers only compare it.
  jobs::detail::Atomic<std::uint64_t> window_{0};
  // Of the thread.
  Frame frame_;
  std::uint64_t began_ = 0;  // the begin, or the last resumption, of the frame
  SuspendedFibers<Note> suspended_;
  Reading reading_;
  std::uint64_t read_at_ = 0;  // in ticks
};

// Returns the CPU time of a thread that has not ended, in nanoseconds.
std::uint64_t cpu_time_of(pthread_t thread) noexcept;

}  // namespace jobs::inline JOBS_ABI::trace::detail
