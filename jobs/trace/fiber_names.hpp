// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The names of Fibers in a recording: their text, and how a name survives the event that had it.
//
// The creation of a Fiber records its name. The rings lose this event while the Fiber lives on, and
// a recording may begin after it. Two other sources have the name:
//   - The end of a Fiber records it again. So a recording needs no memory for Fibers that have
//     ended.
//   - The registry of the library has all living Fibers. attach_fiber_names() reads it when a
//     recording is written, so a switch of a Fiber records no name. A Fiber that ends between the
//     copy of the events and the call may stay without a name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "jobs/fiber/fiber_pool.hpp"
#include "jobs/trace/recorder.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

// The name of a Fiber, or its creation site, such as "mesh.cpp:12", if it has none.
class FiberName {
 public:
  // `name`: null: none.
  FiberName(const char* name, const char* file, unsigned line) noexcept;

  std::string_view text() const noexcept { return {text_.data(), size_}; }

 private:
  std::array<char, kLongestFiberName> text_;
  std::size_t size_ = 0;
};

// Whether the id is that of a Fiber. The thread itself has the id 0; the fibers that serve jobs
// have larger ids.
constexpr bool is_fiber(std::uint64_t id) noexcept {
  return id != 0 && id < jobs::detail::FiberPool::kFirstId;
}

// Whether a text behind an event of that kind is the name of the Fiber.
constexpr bool may_have_fiber_name(TraceEvent event) noexcept {
  return event == TraceEvent::kFiberEnd || event == TraceEvent::kSuspend ||
         event == TraceEvent::kResume;
}

// Gives each Fiber with an event between the two times, which are in ticks, its present name: adds
// the name as a text behind the last event of the Fiber, unless the events have it. Any thread, for
// copies of its own. Throws std::bad_alloc.
void attach_fiber_names(std::vector<Recorder::TrackCopy>& tracks, std::uint64_t begin,
                        std::uint64_t end);

}  // namespace jobs::inline JOBS_ABI::trace::detail
