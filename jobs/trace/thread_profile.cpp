// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadProfile: the states that follow from events.
#include "jobs/trace/thread_profile.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/runtime/fibers/fiber_control.hpp"
#include "jobs/trace/fiber_names.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::FiberControl;
using jobs::detail::FiberCore;
using jobs::detail::TraceEvent;

// In ticks: 20 us at 2.5 GHz. The kernel's figures take about 0.5 us.
constexpr std::uint64_t kReadInterval = 50'000;

constexpr auto kNoLabel = [](TimeTable::Entry&) {};

// Kinds of objects that outlive the functions that wait for them. The objects of other waits lie in
// the frame of the waiter, so their addresses say less than the waiter does; their names do not.
constexpr bool has_lasting_object(WaitKind kind) noexcept {
  return kind == WaitKind::kMutex || kind == WaitKind::kSharedMutex ||
         kind == WaitKind::kOnceFlag || kind == WaitKind::kSemaphore ||
         kind == WaitKind::kConditionVariable || kind == WaitKind::kChannel ||
         kind == WaitKind::kBarrier;
}

// A bound thread runs code of its own on the fiber without an id.
bool is_root(const FiberCore& fiber) noexcept { return fiber.id == 0; }

void write_site(const FiberControl& control, std::array<char, 64>& label) noexcept {
  const FiberName site(nullptr, control.site().file_name(),
                       static_cast<unsigned>(control.site().line()));
  constexpr std::string_view kKind = "Fiber ";
  const std::string_view text =
      jobs::detail::cut_text(site.text(), label.size() - 1 - kKind.size());
  label = {};
  kKind.copy(label.data(), kKind.size());
  text.copy(label.data() + kKind.size(), text.size());
}

}  // namespace

std::uint64_t cpu_time_of(pthread_t thread) noexcept {
  clockid_t clock;
  timespec time{};
  if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(time.tv_nsec);
}

// The first event of a window. The state before it began with the window, unless the event may be
// the first one of the thread.
void ThreadProfile::enter_window(WorkerState before, std::uint64_t now,
                                 std::uint64_t window) noexcept {
  const bool existed = before != WorkerState::kScheduler && before != WorkerState::kOwnCode;
  const std::uint64_t begin = existed ? std::min(window, now) : now;
  if (clock_.has_started()) {
    clock_.enter(WorkerState::kUnmeasured, clock_.changed_at());
    clock_.enter(before, begin);
  } else {
    clock_.start(before, begin);
    cpu_at_first_.add(cpu_time_of(pthread_self()));
    if (before == WorkerState::kUseful || before == WorkerState::kSearching)
      awake_at_first_.add(now - begin);
  }
  // The events between the windows are unknown.
  suspended_.clear();
  frame_ = {};
  window_.store(window, std::memory_order_relaxed);
}

void ThreadProfile::enter(WorkerState next, WorkerState before, std::uint64_t now,
                          std::uint64_t window) noexcept {
  if (window != window_.load(std::memory_order_relaxed)) [[unlikely]]
    enter_window(before, now, window);
  clock_.enter(next, now);
}

ThreadProfile::Reading ThreadProfile::read_kernel() noexcept {
  const auto nanoseconds = [](const timeval& time) {
    return os::Nanoseconds{time.tv_sec} * 1'000'000'000 + os::Nanoseconds{time.tv_usec} * 1000;
  };
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {.at = os::now(),
          .cpu = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
          .blocks = static_cast<std::uint64_t>(usage.ru_nvcsw),
          .faults = static_cast<std::uint64_t>(usage.ru_minflt)};
}

void ThreadProfile::before_run(std::uint64_t now) noexcept {
  began_ = now;
  if (now - read_at_ < kReadInterval) return;
  reading_ = read_kernel();
  read_at_ = now;
}

// A thread that only waits for a CPU has not suspended itself: then the machine is loaded.
void ThreadProfile::after_run(std::uint64_t now) noexcept {
  if (frame_.entry == nullptr) return;
  frame_.run += now - began_;
  if (now - began_ < kReadInterval) return;
  const Reading before = std::exchange(reading_, read_kernel());
  read_at_ = now;
  frame_.entry->page_faults.add(reading_.faults - before.faults);
  if (reading_.blocks == before.blocks) return;
  const os::Nanoseconds lost = (reading_.at - before.at) - (reading_.cpu - before.cpu);
  if (lost > 0) frame_.entry->blocked_ns.add(static_cast<std::uint64_t>(lost));
}

void ThreadProfile::begin(TimeTable::Entry& entry, std::uint64_t now) noexcept {
  frame_ = {};
  frame_.entry = &entry;
  before_run(now);
}

// The first event of a window may be that of a part: the worker runs a job then.
void ThreadProfile::enter_if_new(std::uint64_t now, std::uint64_t window) noexcept {
  if (window != window_.load(std::memory_order_relaxed)) [[unlikely]]
    enter(WorkerState::kUseful, WorkerState::kUseful, now, window);
}

void ThreadProfile::begin_part(std::uint64_t code, std::string_view name, std::uint64_t now,
                               std::uint64_t window) noexcept {
  enter_if_new(now, window);
  if (frame_.parts++ >= kMostParts) return;
  after_run(now);
  frame_.outer[frame_.parts - 1] = static_cast<const Run&>(frame_);
  const std::string_view label = jobs::detail::cut_text(name, kLongestLabel);
  const TimePlace place{.code = label.empty() ? code : std::hash<std::string_view>()(label)};
  frame_.entry = &functions_.of(
      place, [label](TimeTable::Entry& entry) { label.copy(entry.label.data(), label.size()); });
  frame_.run = 0;
  before_run(now);
}

// The begin of the part may be unknown.
void ThreadProfile::end_part(std::uint64_t now) noexcept {
  if (frame_.parts == 0 || --frame_.parts >= kMostParts) return;
  after_run(now);
  frame_.entry->times.add(frame_.run);
  static_cast<Run&>(frame_) = frame_.outer[frame_.parts];
  before_run(now);
}

void ThreadProfile::end(std::uint64_t now) noexcept {
  after_run(now);
  if (frame_.entry != nullptr) frame_.entry->times.add(frame_.run);
  frame_ = {};
}

void ThreadProfile::record(TraceEvent event, std::uint64_t first, std::uint64_t now,
                           std::uint64_t window) noexcept {
  switch (event) {
    case TraceEvent::kJobBegin:
      enter(WorkerState::kUseful, WorkerState::kScheduler, now, window);
      return begin(functions_.of({.code = first}, kNoLabel), now);
    case TraceEvent::kJobEnd:
      enter(WorkerState::kScheduler, WorkerState::kUseful, now, window);
      return end(now);
    case TraceEvent::kNodeEnd:
    case TraceEvent::kStageEnd:
    case TraceEvent::kCallEnd:
      enter_if_new(now, window);
      return end_part(now);
    case TraceEvent::kSearchBegin:
      return enter(WorkerState::kSearching, WorkerState::kScheduler, now, window);
    case TraceEvent::kSearchEnd:
      return enter(WorkerState::kScheduler, WorkerState::kSearching, now, window);
    case TraceEvent::kPark:
      return enter(WorkerState::kParked, WorkerState::kSearching, now, window);
    case TraceEvent::kWake:
      return enter(WorkerState::kSearching, WorkerState::kParked, now, window);
    default:
      return;
  }
}

void ThreadProfile::suspend(const FiberCore& fiber, std::uint64_t now,
                            std::uint64_t window) noexcept {
  enter(WorkerState::kScheduler, is_root(fiber) ? WorkerState::kOwnCode : WorkerState::kUseful, now,
        window);
  const FiberState state = fiber.observed_state.load(std::memory_order_relaxed);
  if (state == FiberState::kRunning) return end(now);  // The Fiber has ended.
  after_run(now);
  suspended_.put(fiber.id, {.since = now, .wait = &site_of_wait(fiber), .frame = frame_});
  frame_ = {};
}

// An object of a frame ends before the profile is read, so the wait itself reads its name. All
// objects with this name share a site. Other names are read with the profile.
TimeTable::Entry& ThreadProfile::site_of_wait(const FiberCore& fiber) noexcept {
  const TimeTable::Entry* const code = frame_.entry;
  const bool waits = fiber.observed_state.load(std::memory_order_relaxed) == FiberState::kWaiting;
  TimePlace place = code != nullptr ? code->place : TimePlace{};
  place.kind = waits ? static_cast<std::uint32_t>(fiber.waits_for.kind) : jobs::detail::kTraceYield;
  TimeTable::ObjectName name;
  std::size_t length = 0;
  if (waits && has_lasting_object(fiber.waits_for.kind)) {
    place.object = reinterpret_cast<std::uintptr_t>(fiber.waits_for.object);
  } else if (waits) {
    length = read_object_name(fiber.waits_for.object, name);
    if (length != 0) place.name = std::hash<std::string_view>()({name.data(), length});
  }
  return waits_.of(place, [&](TimeTable::Entry& entry) {
    if (code != nullptr) entry.label = code->label;
    if (length != 0) entry.object_name = name;
  });
}

void ThreadProfile::resume(const FiberCore& fiber, std::uint64_t now,
                           std::uint64_t window) noexcept {
  enter(is_root(fiber) ? WorkerState::kOwnCode : WorkerState::kUseful, WorkerState::kScheduler, now,
        window);
  Note note;
  if (suspended_.take(fiber.id, note)) {
    frame_ = note.frame;
    before_run(now);
    return note.wait->times.add(now - note.since);
  }
  // A Fiber begins, also in place of the job that brings it. Otherwise its begin is unknown.
  const FiberControl* const control = FiberControl::of(fiber);
  if (control == nullptr) return;
  const TimePlace place = {.code = reinterpret_cast<std::uintptr_t>(control->site().file_name()),
                           .line = std::max<std::uint32_t>(control->site().line(), 1)};
  begin(functions_.of(place, [control](auto& entry) { write_site(*control, entry.label); }), now);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
