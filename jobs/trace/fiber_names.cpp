// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of Fibers: the search in the events and in the registry.
#include "jobs/trace/fiber_names.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/runtime/fibers/fiber_registry.hpp"
#include "jobs/trace/raw_file.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace {

using jobs::detail::FiberControl;
using jobs::detail::FiberRegistry;

struct Named {
  std::string name;      // the youngest one that is known
  std::string recorded;  // the one that the events between the two times have
  bool has_ended = false;
  // Its last event between the two times.
  Recorder::TrackCopy* track = nullptr;  // null: there is none
  std::size_t last = 0;
};
using NamedFibers = std::unordered_map<std::uint64_t, Named>;

std::string text_behind(const std::vector<RawEvent>& events, std::size_t event) {
  std::string text;
  for (std::size_t i = event + 1; i < events.size() && kind_of(events[i]) == TraceEvent::kText; ++i)
    append_text(text, events[i]);
  return text;
}

// The name at the creation may be older than any other one. The tracks have no order of time.
void read_track(NamedFibers& fibers, Recorder::TrackCopy& track, std::uint64_t begin,
                std::uint64_t end) {
  for (std::size_t i = 0; i < track.events.size(); ++i) {
    const RawEvent& raw = track.events[i];
    const TraceEvent kind = kind_of(raw);
    const bool is_creation = kind == TraceEvent::kFiberCreate;
    if ((!is_creation && !may_have_fiber_name(kind)) || !is_fiber(raw[2])) continue;
    Named& fiber = fibers[raw[2]];
    const bool is_in_time = raw[0] >= begin && raw[0] <= end;
    if (is_in_time && !is_creation) {
      fiber.track = &track;
      fiber.last = i;
    }
    if (kind == TraceEvent::kFiberEnd) fiber.has_ended = true;
    if (!is_creation && kind != TraceEvent::kFiberEnd) continue;
    std::string name = text_behind(track.events, i);
    if (name.empty() || (is_creation && !fiber.name.empty())) continue;
    fiber.name = std::move(name);
    if (is_in_time) fiber.recorded = fiber.name;
  }
}

// The visits of the registry hold a lock, so they only take references.
void read_registry(NamedFibers& fibers) {
  std::vector<FiberControl*> living;
  living.reserve(fibers.size());
  FiberRegistry::instance().for_each([&](FiberControl& control) {
    const auto found = fibers.find(control.id);
    if (found == fibers.end() || found->second.track == nullptr || found->second.has_ended) return;
    if (living.size() == living.capacity()) return;
    control.add_owner();
    living.push_back(&control);
  });
  for (FiberControl* const control : living) {
    const std::string name = control->name();
    fibers[control->id].name =
        FiberName(name.empty() ? nullptr : name.c_str(), control->site().file_name(),
                  static_cast<unsigned>(control->site().line()))
            .text();
    control->release();
  }
}

struct Insertion {
  std::size_t behind;
  std::string_view text;
};

void insert_texts(std::vector<RawEvent>& events, std::vector<Insertion>& insertions) {
  std::sort(insertions.begin(), insertions.end(),
            [](const Insertion& a, const Insertion& b) { return a.behind < b.behind; });
  std::vector<RawEvent> all;
  all.reserve(events.size() + insertions.size() * (kLongestFiberName / kTextBytes));
  std::size_t copied = 0;
  for (const Insertion& insertion : insertions) {
    for (; copied <= insertion.behind; ++copied) all.push_back(events[copied]);
    for_each_text_event(insertion.text, [&all](const RawEvent& part) { all.push_back(part); });
  }
  all.insert(all.end(), events.begin() + static_cast<std::ptrdiff_t>(copied), events.end());
  events = std::move(all);
}

}  // namespace

FiberName::FiberName(const char* name, const char* file, unsigned line) noexcept {
  const auto append = [this](std::string_view part) {
    part = jobs::detail::cut_text(part, text_.size() - size_);
    std::memcpy(text_.data() + size_, part.data(), part.size());
    size_ += part.size();
  };
  if (name != nullptr) {
    append(name);
    return;
  }
  const char* const slash = std::strrchr(file, '/');
  append(slash != nullptr ? slash + 1 : file);
  std::array<char, 16> digits{':'};
  const char* const last =
      std::to_chars(digits.data() + 1, digits.data() + digits.size(), line).ptr;
  append({digits.data(), static_cast<std::size_t>(last - digits.data())});
}

void attach_fiber_names(std::vector<Recorder::TrackCopy>& tracks, std::uint64_t begin,
                        std::uint64_t end) {
  NamedFibers fibers;
  for (Recorder::TrackCopy& track : tracks) read_track(fibers, track, begin, end);
  read_registry(fibers);
  std::unordered_map<Recorder::TrackCopy*, std::vector<Insertion>> insertions;
  for (const auto& [id, fiber] : fibers) {
    if (fiber.track == nullptr || fiber.name.empty() || fiber.name == fiber.recorded) continue;
    insertions[fiber.track].push_back({.behind = fiber.last, .text = fiber.name});
  }
  for (auto& [track, texts] : insertions) insert_texts(track->events, texts);
}

}  // namespace jobs::inline JOBS_ABI::trace::detail
