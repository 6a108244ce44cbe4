// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TrackWriter: slices that nest, instants and curves.
#include "jobs/trace/track_writer.hpp"

#include <array>
#include <bit>
#include <utility>

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

const char* text_at(std::uint64_t address) noexcept {
  return reinterpret_cast<const char*>(static_cast<std::uintptr_t>(address));
}

// The track of a fiber without an id: the bound thread itself, or an external thread.
constexpr std::uint64_t kThreadFiber = std::uint64_t{1} << 63;

}  // namespace

std::string_view wait_name(std::uint64_t wait) noexcept {
  const auto kind = static_cast<unsigned>(wait >> 56);
  if (kind == jobs::detail::kTraceYield) return "ready";
  return kind < kWaitNames.size() ? kWaitNames[kind] : "wait";
}

// describe_address() returns "program+0x12 (function+0x0)": the name is the function.
const std::string& JobNames::of(std::uint64_t address) {
  auto [entry, is_new] = names_.try_emplace(address);
  if (!is_new) return entry->second;
  const std::string place = jobs::os::describe_address(text_at(address));
  const std::size_t open = place.find(" (");
  const std::size_t offset = place.rfind('+');
  entry->second = open == place.npos || offset == place.npos || offset < open
                      ? place
                      : place.substr(open + 2, offset - open - 2);
  return entry->second;
}

void TrackWriter::begin(const Slice& slice, os::Nanoseconds at) {
  parts_.sink.begin_slice(number_,
                          slice.kind == TraceEvent::kJobBegin    ? "job"
                          : slice.kind == TraceEvent::kResume    ? "fiber"
                          : slice.kind == TraceEvent::kZoneBegin ? "zone"
                                                                 : "worker",
                          slice.name, at);
}

void TrackWriter::push(TraceEvent kind, std::string name, os::Nanoseconds at) {
  open_.push_back({.kind = kind, .name = std::move(name)});
  begin(open_.back(), at);
}

// Ends the innermost slice if it began with `kind`. Otherwise its begin is lost.
void TrackWriter::pop(TraceEvent kind, os::Nanoseconds at) {
  if (open_.empty() || open_.back().kind != kind) return;
  open_.pop_back();
  parts_.sink.end_slice(number_, at);
}

void TrackWriter::suspend(const TimedEvent& event) {
  ran(event.first, event.at);
  for (std::size_t i = 0; i < open_.size(); ++i) parts_.sink.end_slice(number_, event.at);
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
  waited(event.first, fiber, event.at);
  for (Slice& slice : fiber.slices) {
    begin(slice, event.at);
    open_.push_back(std::move(slice));
  }
  suspended_.erase(found);
}

std::uint64_t TrackWriter::id_of(std::uint64_t fiber) const noexcept {
  return fiber != 0 ? fiber : kThreadFiber | number_;
}

// Another fiber runs from that time on. It has no event if it has no suspension before.
void TrackWriter::ran(std::uint64_t fiber, os::Nanoseconds end) {
  parts_.fibers.ran(id_of(fiber), number_, runs_since_, end);
  running_ = 0;
  runs_since_ = end;
}

void TrackWriter::waited(std::uint64_t fiber, const Suspended& state, os::Nanoseconds end) {
  parts_.fibers.waited(id_of(fiber), number_, state.wait, state.since, end);
}

// The Fiber begins, or the ring has lost its suspension. The fibers of jobs have no slice.
void TrackWriter::begin_fiber(const TimedEvent& event) {
  if (event.first == 0 || event.first >= jobs::detail::FiberPool::kFirstId) return;
  parts_.fibers.seen(event.first, number_, event.at);
  push(TraceEvent::kResume, parts_.fibers.name_of(event.first), event.at);
}

void TrackWriter::theft(const TimedEvent& event) {
  const std::string victim = event.second == jobs::detail::kTraceExternal
                                 ? "external thread"
                                 : "worker " + std::to_string(event.second);
  parts_.sink.theft(number_, event.first, victim, event.at);
}

void TrackWriter::write(const TimedEvent& event) {
  if (runs_since_ == kUnknown) runs_since_ = event.at;
  switch (event.kind) {
    case TraceEvent::kJobBegin:
      return push(event.kind, parts_.jobs.of(event.first), event.at);
    case TraceEvent::kJobEnd:
      return pop(TraceEvent::kJobBegin, event.at);
    case TraceEvent::kSteal:
      return theft(event);
    case TraceEvent::kSearchBegin:
      return push(event.kind, "search", event.at);
    case TraceEvent::kSearchEnd:
      return pop(TraceEvent::kSearchBegin, event.at);
    case TraceEvent::kPark:
      return push(event.kind, "park", event.at);
    case TraceEvent::kWake:
      return pop(TraceEvent::kPark, event.at);
    case TraceEvent::kFiberCreate:
      return;  // write_recording_file() has registered it.
    case TraceEvent::kFiberEnd:
      ran(event.first, event.at);
      parts_.fibers.ended(event.first, event.at);
      return pop(TraceEvent::kResume, event.at);
    case TraceEvent::kSuspend:
      return suspend(event);
    case TraceEvent::kResume:
      return resume(event);
    case TraceEvent::kZoneBegin:
      return push(event.kind, text_at(event.first), event.at);
    case TraceEvent::kZoneEnd:
      return pop(TraceEvent::kZoneBegin, event.at);
    case TraceEvent::kCounter:
      return parts_.sink.curve(number_, text_at(event.first), std::bit_cast<double>(event.second),
                               event.at);
    case TraceEvent::kMessage:
      return parts_.sink.message(number_, event.text, event.at);
    case TraceEvent::kFrame:
      parts_.frames.push_back({.at = event.at, .name = event.first});
      return;
    case TraceEvent::kNone:
    case TraceEvent::kText:
      return;
  }
}

void TrackWriter::finish(os::Nanoseconds end) {
  if (running_ != 0) ran(running_, end);
  for (std::size_t i = 0; i < open_.size(); ++i) parts_.sink.end_slice(number_, end);
  for (const auto& [fiber, state] : suspended_) waited(fiber, state, end);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
