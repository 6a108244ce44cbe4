// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The public functions of jobs::trace.
#include "jobs/trace.hpp"

#include <bit>
#include <mutex>
#include <unordered_set>

#include "jobs/error.hpp"
#include "jobs/runtime/job/probes.hpp"
#include "jobs/trace/dumps/slow_frames.hpp"
#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/recording_file.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace {

using detail::Recorder;
using jobs::detail::TraceEvent;

std::uint64_t address_of(const char* name) noexcept {
  return reinterpret_cast<std::uintptr_t>(name);
}

// Returns whether the event was recorded.
bool record(TraceEvent event, std::uint64_t first = 0, std::uint64_t second = 0) noexcept {
  Recorder& recorder = Recorder::instance();
  if (!recorder.stores_events()) return false;
  recorder.record(event, first, second);
  return true;
}

}  // namespace

Recording::Recording() noexcept
    : begin_((detail::start_of_calibration(), detail::TraceClock::ticks())),
      process_(static_cast<unsigned>(Recorder::instance().start())) {}

Recording::~Recording() { stop(); }

void Recording::stop() noexcept {
  if (end_ != 0) return;
  end_ = detail::TraceClock::ticks();
  Recorder::instance().stop(Recorder::Starter{process_});
}

void Recording::write(const std::string& path) const {
  detail::write_recording(path, begin_, end_ != 0 ? end_ : detail::TraceClock::ticks());
}

bool is_recording() noexcept { return Recorder::instance().stores_events(); }

const char* intern(std::string_view text) {
  static std::mutex mutex;
  // Never destroyed: names stay until the process ends.
  static auto& names = *new std::unordered_set<std::string>;
  const std::scoped_lock lock(mutex);
  return names.emplace(text).first->c_str();
}

void name_object(const void* object, std::string_view name, std::source_location place) {
  if (object == nullptr)
    throw Error(ErrorCode::kBadArgument, "jobs::trace::name_object: the object is null");
  detail::set_object_name(object, name, place.file_name(), static_cast<unsigned>(place.line()));
}

void forget_object(const void* object) noexcept { detail::erase_object_name(object); }

Zone::Zone(const char* name) noexcept
    : recorded_(record(TraceEvent::kZoneBegin, address_of(name))) {
  JOBS_PROBE1(zone_begin, name);
}

Zone::~Zone() {
  JOBS_PROBE0(zone_end);
  if (recorded_) record(TraceEvent::kZoneEnd);
}

void counter(const char* name, double value) noexcept {
  JOBS_PROBE2(counter, name, std::bit_cast<std::uint64_t>(value));
  record(TraceEvent::kCounter, address_of(name), std::bit_cast<std::uint64_t>(value));
}

void message(std::string_view text) noexcept {
  JOBS_PROBE2(message, text.data(), text.size());
  if (Recorder& recorder = Recorder::instance(); recorder.stores_events())
    recorder.record_text(TraceEvent::kMessage, 0, 0, text, detail::kLongestMessage);
}

void frame(const char* name) noexcept {
  JOBS_PROBE1(frame, name);
  record(TraceEvent::kFrame, address_of(name));
  if (detail::SlowFrames::is_on()) [[unlikely]]
    detail::SlowFrames::frame_ends(name);
}

}  // namespace jobs::inline JOBS_ABI::trace
