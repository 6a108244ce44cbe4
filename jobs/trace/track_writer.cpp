// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TrackWriter: slices that nest, instants and curves.
#include "jobs/trace/track_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "jobs/fiber/fiber_label.hpp"
#include "jobs/trace/fiber_names.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::TraceEvent;

// In the order of WaitKind.
constexpr std::array<std::string_view, 18> kWaitNames = {"wait",
                                                         "wait: Mutex",
                                                         "wait: SharedMutex",
                                                         "wait: OnceFlag",
                                                         "wait: Semaphore",
                                                         "wait: Event",
                                                         "wait: Counter",
                                                         "wait: Latch",
                                                         "wait: Barrier",
                                                         "wait: ConditionVariable",
                                                         "wait: Channel",
                                                         "wait: select",
                                                         "wait: join",
                                                         "wait: job",
                                                         "wait: schedule",
                                                         "sleep",
                                                         "blocking",
                                                         "io"};

const void* code_at(std::uint64_t address) noexcept {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(address));
}

// The track of a fiber without an id: the bound thread itself, or an external thread.
constexpr std::uint64_t kThreadFiber = std::uint64_t{1} << 63;
// The track of the jobs that an external thread runs while it waits (kBorrowedThread).
constexpr std::uint64_t kBorrowedFiber = kThreadFiber | std::uint64_t{1} << 62;

std::string_view category_of(TraceEvent kind) noexcept {
  switch (kind) {
    case TraceEvent::kJobBegin:
      return "job";
    case TraceEvent::kResume:
      return "fiber";
    case TraceEvent::kZoneBegin:
      return "zone";
    case TraceEvent::kChunkBegin:
      return "chunk";
    case TraceEvent::kNodeBegin:
      return "node";
    case TraceEvent::kStageBegin:
      return "stage";
    case TraceEvent::kBlockingBegin:
      return "blocking";
    case TraceEvent::kCallBegin:
      return "call";
    case TraceEvent::kLockWait:
      return "lock";
    default:
      return "worker";
  }
}

}  // namespace

std::string_view wait_name(std::uint64_t wait) noexcept {
  const auto kind = static_cast<unsigned>(wait >> 56);
  if (kind == jobs::detail::kTraceYield) return "ready";
  return kind < kWaitNames.size() ? kWaitNames[kind] : "wait";
}

const std::string& JobNames::of(std::uint64_t address) {
  auto [entry, is_new] = names_.try_emplace(address);
  if (is_new) entry->second = jobs::os::function_name(code_at(address));
  return entry->second;
}

void TrackWriter::begin(const Slice& slice, os::Nanoseconds at) {
  parts_.sink.begin_slice(number_, category_of(slice.kind), slice.name, at);
}

void TrackWriter::push(TraceEvent kind, std::string name, os::Nanoseconds at,
                       std::uint64_t object) {
  open_.push_back({.kind = kind, .name = std::move(name), .object = object, .since = at});
  begin(open_.back(), at);
}

// Ends the innermost slice if it began with `kind`. Otherwise its begin is lost.
void TrackWriter::pop(TraceEvent kind, os::Nanoseconds at) {
  if (open_.empty() || open_.back().kind != kind) return;
  open_.pop_back();
  parts_.sink.end_slice(number_, at);
}

// Ends the innermost slice of that kind and object, and the slices within it, whose ends are lost.
void TrackWriter::pop_through(TraceEvent kind, os::Nanoseconds at, std::uint64_t object) {
  std::size_t depth = open_.size();
  while (depth > 0 && (open_[depth - 1].kind != kind || open_[depth - 1].object != object)) --depth;
  if (depth == 0) return;
  for (; open_.size() >= depth; open_.pop_back()) parts_.sink.end_slice(number_, at);
}

// The name of the Fiber, or the function of the job, or the thread.
std::string TrackWriter::who() const {
  if (is_fiber(running_)) return parts_.fibers.name_of(running_);
  for (const Slice& slice : open_) {
    if (slice.kind == TraceEvent::kJobBegin) return slice.name;
  }
  return title_;
}

// The slice of a wait moves with its fiber, so it is one of the open ones at the end of the wait.
void TrackWriter::lock(const TimedEvent& event) {
  if (event.kind == TraceEvent::kLockWait) {
    push(event.kind, parts_.objects.describe("lock Mutex", event.first), event.at, event.first);
  } else if (event.kind != TraceEvent::kLockFree) {
    end_lock_waits(open_, event.first, event.at);
    pop_through(TraceEvent::kLockWait, event.at, event.first);
  }
  parts_.locks.add(event.first, {.at = event.at,
                                 .kind = event.kind,
                                 .has_owner = event.second != 0,
                                 .track = number_,
                                 .who = who()});
}

// `lock`: 0: all locks.
void TrackWriter::end_lock_waits(const std::vector<Slice>& slices, std::uint64_t lock,
                                 os::Nanoseconds at) {
  for (const Slice& slice : slices) {
    if (slice.kind == TraceEvent::kLockWait && (lock == 0 || slice.object == lock))
      parts_.locks.add_wait(slice.object,
                            {.begin = slice.since, .end = at, .track = number_, .who = who()});
  }
}

// A Fiber whose begin is lost has a slice from its next run on.
void TrackWriter::suspend(const TimedEvent& event) {
  ran(event.first, event.at);
  for (std::size_t i = 0; i < open_.size(); ++i) parts_.sink.end_slice(number_, event.at);
  if (is_fiber(event.first) && std::none_of(open_.begin(), open_.end(), [](const Slice& slice) {
        return slice.kind == TraceEvent::kResume;
      })) {
    open_.insert(open_.begin(), {.kind = TraceEvent::kResume,
                                 .name = parts_.fibers.name_of(event.first),
                                 .object = 0,
                                 .since = event.at});
  }
  suspended_[event.first] = {
      .slices = std::exchange(open_, {}), .since = event.at, .wait = event.second};
}

void TrackWriter::resume(const TimedEvent& event) {
  running_ = event.first;
  runs_since_ = event.at;
  const auto found = suspended_.find(event.first);
  if (found == suspended_.end()) return begin_fiber(event);
  // Slices of a fiber whose end the ring has lost.
  for (std::size_t i = 0; i < open_.size(); ++i) parts_.sink.end_slice(number_, event.at);
  open_.clear();
  Suspended& fiber = found->second;
  waited(event.first, event.second, fiber, event.at);
  for (Slice& slice : fiber.slices) {
    begin(slice, event.at);
    open_.push_back(std::move(slice));
  }
  suspended_.erase(found);
}

std::uint64_t TrackWriter::id_of(std::uint64_t fiber) const noexcept {
  if (fiber == jobs::detail::kBorrowedThread) return kBorrowedFiber | number_;
  return fiber != 0 ? fiber : kThreadFiber | number_;
}

// Another fiber runs from that time on. It has no event if it has no suspension before.
void TrackWriter::ran(std::uint64_t fiber, os::Nanoseconds end) {
  if (fiber == 0) parts_.fibers.named(id_of(fiber), title_);
  if (fiber == jobs::detail::kBorrowedThread)
    parts_.fibers.named(id_of(fiber), "jobs on " + title_);
  parts_.fibers.ran(id_of(fiber), number_, runs_since_, end);
  running_ = 0;
  runs_since_ = end;
}

// `core`: the address of its FiberCore.
void TrackWriter::waited(std::uint64_t fiber, std::uint64_t core, const Suspended& state,
                         os::Nanoseconds end) {
  const std::uint64_t key = fiber != 0 ? fiber : std::uint64_t{1} << 63 | core;
  parts_.fibers.waited(id_of(fiber), key, number_, state.wait, state.since, end);
}

// The Fiber begins, or the ring has lost its suspension. The fibers of jobs have no slice.
void TrackWriter::begin_fiber(const TimedEvent& event) {
  if (!is_fiber(event.first)) return;
  parts_.fibers.seen(event.first, number_, event.at);
  push(TraceEvent::kResume, parts_.fibers.name_of(event.first), event.at);
}

void BusyTime::add(TraceEvent kind, os::Nanoseconds at) noexcept {
  switch (kind) {
    case TraceEvent::kPageFaults:
      return;
    case TraceEvent::kSearchBegin:
    case TraceEvent::kSearchEnd:
    case TraceEvent::kPark:
    case TraceEvent::kWake:
      if (begin != kNever && end == kNever) end = at;
      return;
    default:
      begin = std::min(begin, at);
      end = kNever;
  }
}

// The event has the index of the victim. If workers of several schedulers have this index, the
// victim is the worker that has work at this time. If several of them have work, there is no arrow.
void TrackWriter::theft(const TimedEvent& event) {
  const std::string victim = event.second == jobs::detail::kTraceExternal
                                 ? "external thread"
                                 : "worker " + std::to_string(event.second);
  parts_.sink.theft(number_, event.first, victim, event.at);
  const auto named = parts_.busy.find(victim);
  if (named == parts_.busy.end()) return;
  const bool is_unique = named->second.size() == 1;
  const BusyTime* from = nullptr;
  for (const BusyTime& each : named->second) {
    if (!is_unique && !each.contains(event.at)) continue;
    if (from != nullptr) return;
    from = &each;
  }
  if (from != nullptr)
    parts_.sink.arrow(TraceSink::Arrow::kSteal, from->track, event.at, number_, event.at);
}

void TrackWriter::begin_job(const TimedEvent& event) {
  push(event.kind, parts_.jobs.of(event.first), event.at);
  if (const TrackLinks::Source* const from = parts_.links.spawn_of(event.second, event.at))
    parts_.sink.arrow(TraceSink::Arrow::kSpawn, from->track, from->at, number_, event.at);
}

// The worker has slept until then.
void TrackWriter::wake(const TimedEvent& event) {
  if (open_.empty() || open_.back().kind != TraceEvent::kPark) return;
  const os::Nanoseconds since = open_.back().since;
  pop(TraceEvent::kPark, event.at);
  if (const TrackLinks::Source* const from = parts_.links.waker_of(event.first, since, event.at))
    parts_.sink.arrow(TraceSink::Arrow::kWake, from->track, from->at, number_, event.at);
}

// A chunk ends the chunk before it.
void TrackWriter::begin_chunk(const TimedEvent& event) {
  pop_through(TraceEvent::kChunkBegin, event.at, event.first);
  push(event.kind, "chunk", event.at, event.first);
}

void TrackWriter::write(const TimedEvent& event) {
  if (runs_since_ == kUnknown) runs_since_ = event.at;
  switch (event.kind) {
    case TraceEvent::kJobBegin:
      return begin_job(event);
    case TraceEvent::kJobEnd:
      return pop_through(TraceEvent::kJobBegin, event.at);
    case TraceEvent::kSteal:
      return theft(event);
    case TraceEvent::kSearchBegin:
      return push(event.kind, "search", event.at);
    case TraceEvent::kSearchEnd:
      return pop(TraceEvent::kSearchBegin, event.at);
    case TraceEvent::kPark:
      return push(event.kind, event.first != 0 ? "retired" : "park", event.at);
    case TraceEvent::kWake:
      return wake(event);
    case TraceEvent::kFiberCreate:
      return;  // write_recording_file() has registered it.
    case TraceEvent::kFiberEnd:
      ran(event.first, event.at);
      parts_.fibers.ended(event.first, event.at);
      return pop_through(TraceEvent::kResume, event.at);
    case TraceEvent::kSuspend:
      return suspend(event);
    case TraceEvent::kResume:
      return resume(event);
    case TraceEvent::kZoneBegin:
      return push(event.kind, parts_.names.of(event.first), event.at);
    case TraceEvent::kZoneEnd:
      return pop_through(TraceEvent::kZoneBegin, event.at);
    case TraceEvent::kCounter:
      return parts_.sink.curve(number_, parts_.names.of(event.first),
                               std::bit_cast<double>(event.second), event.at);
    case TraceEvent::kMessage:
      return parts_.sink.message(number_, event.text, event.at);
    case TraceEvent::kFrame:
      parts_.frames.push_back({.at = event.at, .name = event.first});
      return;
    case TraceEvent::kLockWait:
    case TraceEvent::kLockHeld:
    case TraceEvent::kLockLost:
    case TraceEvent::kLockFree:
      return lock(event);
    case TraceEvent::kChunkBegin:
      return begin_chunk(event);
    case TraceEvent::kChunkEnd:
      return pop_through(TraceEvent::kChunkBegin, event.at, event.first);
    case TraceEvent::kNodeBegin:
      return push(event.kind,
                  event.text.empty() ? "node " + std::to_string(event.second) : event.text,
                  event.at, event.first);
    case TraceEvent::kNodeEnd:
      return pop_through(TraceEvent::kNodeBegin, event.at, event.first);
    case TraceEvent::kStageBegin:
      return push(event.kind, "stage " + std::to_string(event.second >> 48), event.at, event.first);
    case TraceEvent::kStageEnd:
      return pop_through(TraceEvent::kStageBegin, event.at, event.first);
    case TraceEvent::kTimer:
      return parts_.sink.timer(number_, static_cast<os::Nanoseconds>(event.second), event.at);
    case TraceEvent::kBlockingBegin:
      return push(event.kind, parts_.jobs.of(event.first), event.at);
    case TraceEvent::kFork:
    case TraceEvent::kForkBegin:
    case TraceEvent::kForkEnd:
    case TraceEvent::kLoopBegin:
    case TraceEvent::kLoopEnd:
    case TraceEvent::kPartCode:
      return;  // for the analysis
    case TraceEvent::kCallBegin:
      return push(event.kind, parts_.jobs.of(event.first), event.at);
    case TraceEvent::kCallEnd:
      return pop_through(TraceEvent::kCallBegin, event.at);
    case TraceEvent::kBlockingEnd:
      return pop_through(TraceEvent::kBlockingBegin, event.at);
    case TraceEvent::kPageFaults:
      return parts_.sink.page_faults(number_, event.first, event.second, event.at);
    case TraceEvent::kSpawn:
    case TraceEvent::kReady:
    case TraceEvent::kWakeFiber:
    case TraceEvent::kWakeWorker:
      return;  // TrackLinks has them.
    case TraceEvent::kNone:
    case TraceEvent::kText:
      return;
  }
}

void TrackWriter::finish(os::Nanoseconds end) {
  if (running_ != 0) ran(running_, end);
  for (std::size_t i = 0; i < open_.size(); ++i) parts_.sink.end_slice(number_, end);
  end_lock_waits(open_, 0, end);
  for (const auto& [fiber, state] : suspended_) {
    waited(fiber, 0, state, end);
    running_ = fiber;
    end_lock_waits(state.slices, 0, end);
  }
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
