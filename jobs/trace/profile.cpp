// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The figures of jobs/profile.hpp; profile_text.cpp has the text.
#include "jobs/profile.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "jobs/trace/format/object_names.hpp"
#include "jobs/trace/recorder.hpp"
#include "jobs/trace/track_writer.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace detail {

struct ProfileRun {
  // Both clocks, for the rate of the ticks.
  const TimePair clock_begin = TraceClock::read();
  const ProfileData begin = Recorder::instance().start_profile();
  const Recorder::Starter starter = Recorder::instance().this_process();
  // Set by stop().
  bool is_stopped = false;
  TimePair clock_end;
  ProfileData figures;
};

}  // namespace detail

namespace {

using detail::ProfileData;
using detail::Recorder;
using detail::WorkerState;
using std::chrono::nanoseconds;

// The figures of a run, and the conversion of their ticks.
class Figures {
 public:
  explicit Figures(const detail::ProfileRun& run)
      : clock_(run.clock_begin, run.is_stopped ? run.clock_end : detail::TraceClock::read()),
        begin_(run.clock_begin) {
    if (run.is_stopped) {
      data_ = run.figures;
    } else {
      data_ = Recorder::instance().read_profile();
      data_.subtract(run.begin);
    }
  }

  const ProfileData& data() const noexcept { return data_; }
  nanoseconds time(std::uint64_t ticks) const noexcept {
    return nanoseconds(clock_.at(begin_.ticks + ticks) - begin_.at);
  }

 private:
  const detail::TraceClock clock_;
  const detail::TimePair begin_;
  ProfileData data_;
};

// "wait: Mutex" is "Mutex" here.
std::string name_of_wait(std::uint32_t kind) {
  constexpr std::string_view kPrefix = "wait: ";
  if (kind == jobs::detail::kTraceYield) return "yield";
  std::string_view name = detail::wait_name(std::uint64_t{kind} << 56);
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return std::string(name);
}

std::vector<ProfilePlace> places_of(const Figures& figures, const ProfileData::Places& places,
                                    bool are_waits) {
  detail::JobNames names;
  const detail::ObjectNames objects =
      are_waits ? detail::names_of_objects() : detail::ObjectNames();
  std::vector<ProfilePlace> rows;
  for (const auto& [place, figure] : places) {
    const bool is_rest = place == detail::TimePlace{};
    ProfilePlace& row = rows.emplace_back();
    row.name = !figure.label.empty() ? figure.label
               : place.code != 0     ? names.of(place.code)
               : is_rest             ? "(others)"
                                     : "(a bound thread)";
    if (figure.label.empty())
      row.function = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(place.code));
    if (are_waits && !is_rest) row.wait = name_of_wait(place.kind);
    row.object = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(place.object));
    row.object_name = place.name != 0 ? figure.object_name : objects.of(place.object);
    row.count = figure.times.count;
    row.total = figures.time(figure.times.total);
    row.blocked = nanoseconds(static_cast<std::int64_t>(figure.blocked_ns));
    row.page_faults = figure.page_faults;
    row.p50 = figures.time(figure.times.quantile(0.5));
    row.p99 = figures.time(figure.times.quantile(0.99));
  }
  std::sort(rows.begin(), rows.end(), [](const ProfilePlace& a, const ProfilePlace& b) {
    return std::tie(b.total, a.name) < std::tie(a.total, b.name);
  });
  return rows;
}

}  // namespace

Profile::Profile() : run_(std::make_unique<detail::ProfileRun>()) {}

Profile::~Profile() {
  if (!run_->is_stopped) Recorder::instance().stop_profile(run_->starter);
}

void Profile::stop() {
  if (run_->is_stopped) return;
  run_->figures = Recorder::instance().read_profile();
  Recorder::instance().stop_profile(run_->starter);
  run_->figures.subtract(run_->begin);
  run_->clock_end = detail::TraceClock::read();
  run_->is_stopped = true;
}

std::vector<WorkerProfile> Profile::workers() const {
  const Figures figures(*run_);
  std::vector<WorkerProfile> rows;
  for (const auto& [name, times] : figures.data().workers) {
    const auto time = [&](WorkerState state) {
      return figures.time(times.states[static_cast<std::size_t>(state)]);
    };
    WorkerProfile& row = rows.emplace_back();
    row.name = name;
    row.useful = time(WorkerState::kUseful);
    row.scheduler = time(WorkerState::kScheduler);
    row.searching = time(WorkerState::kSearching);
    row.parked = time(WorkerState::kParked);
    row.own_code = time(WorkerState::kOwnCode);
    const nanoseconds awake = row.useful + row.scheduler + row.searching + row.own_code -
                              figures.time(times.unmeasured_awake);
    row.without_cpu =
        std::max(awake - nanoseconds(static_cast<std::int64_t>(times.cpu_ns)), nanoseconds::zero());
  }
  // "worker 2" comes before "worker 10".
  std::sort(rows.begin(), rows.end(), [](const WorkerProfile& a, const WorkerProfile& b) {
    return std::pair(a.name.size(), a.name) < std::pair(b.name.size(), b.name);
  });
  return rows;
}

std::vector<ProfilePlace> Profile::functions() const {
  const Figures figures(*run_);
  return places_of(figures, figures.data().functions, false);
}

std::vector<ProfilePlace> Profile::waits() const {
  const Figures figures(*run_);
  return places_of(figures, figures.data().waits, true);
}

}  // namespace jobs::inline JOBS_ABI::trace
