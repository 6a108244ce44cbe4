// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The results of jobs/diagnosis.hpp; diagnosis_text.cpp has the text.
#include "jobs/diagnosis.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "jobs/trace/advice/findings.hpp"
#include "jobs/trace/advice/run_reader.hpp"
#include "jobs/trace/fiber_names.hpp"
#include "jobs/trace/format/code_place.hpp"
#include "jobs/trace/format/sort_by.hpp"

namespace jobs::inline JOBS_ABI::trace {

namespace detail {

struct DiagnosisRun {
  DiagnosisRun() = default;
  ~DiagnosisRun() {
    if (!is_stopped) Recorder::instance().stop_analysis(starter);
  }
  DiagnosisRun(const DiagnosisRun&) = delete;
  DiagnosisRun& operator=(const DiagnosisRun&) = delete;

  Profile profile;
  const TimePair clock_begin = TraceClock::read();
  const Recorder::Starter starter = Recorder::instance().start_analysis();
  // Set by stop().
  bool is_stopped = false;
  TimePair clock_end;
  std::vector<Recorder::TrackCopy> tracks;
};

}  // namespace detail

namespace {

using detail::DagRoot;
using detail::DiagnosisRun;
using detail::Recorder;
using detail::RunEvents;
using detail::RunReader;
using detail::RunSummary;
using std::chrono::nanoseconds;

// The cost of an edge if the run has too few measurements.
constexpr std::uint64_t kUsualBurden = 2'000;
constexpr std::size_t kEnoughMeasurements = 10;

std::uint64_t count_of(nanoseconds time) noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
}

RunEvents merged_events(const DiagnosisRun& run) {
  if (run.is_stopped)
    return RunEvents::merge(run.tracks, {run.clock_begin, run.clock_end}, run.clock_begin.ticks,
                            run.clock_end.ticks);
  const detail::TimePair now = detail::TraceClock::read();
  std::vector<Recorder::TrackCopy> tracks = Recorder::instance().copy();
  detail::attach_fiber_names(tracks, run.clock_begin.ticks, now.ticks);
  return RunEvents::merge(tracks, {run.clock_begin, now}, run.clock_begin.ticks, now.ticks);
}

RunEvents events_of(const DiagnosisRun& run) {
  RunEvents events = merged_events(run);
  events.objects = detail::names_of_objects();
  return events;
}

// Adds what only the profile has.
void add_profile(RunSummary& summary, const Profile& profile) {
  for (const WorkerProfile& worker : profile.workers()) {
    summary.awake_workers +=
        count_of(worker.useful + worker.scheduler + worker.searching + worker.own_code);
    summary.without_cpu += count_of(worker.without_cpu);
  }
  std::map<std::string, nanoseconds> blocked;
  for (const ProfilePlace& place : profile.functions()) {
    summary.jobs += count_of(place.total);
    blocked[place.name] += place.blocked;
  }
  for (detail::CodeSummary& code : summary.codes) {
    const auto found = blocked.find(code.name);
    if (found != blocked.end()) code.blocked = count_of(found->second);
  }
}

std::vector<RootProfile> roots_of(const RunReader& reader) {
  std::map<std::string, RootProfile> by_name;
  for (const DagRoot& root : reader.dag().roots()) {
    if (root.work == 0) continue;
    const std::string name = detail::short_name(reader.root_name(root.name));
    RootProfile& row = by_name[name];
    row.name = name;
    ++row.count;
    row.work += nanoseconds(root.work);
    row.span += nanoseconds(root.span);
    row.burdened_span += nanoseconds(root.burdened_span);
  }
  std::vector<RootProfile> rows;
  for (auto& [name, row] : by_name) rows.push_back(std::move(row));
  detail::sort_by(rows, [](const RootProfile& row) { return -row.work; });
  return rows;
}

}  // namespace

// A greedy scheduler needs at most work / cores + span * (1 - 1 / cores).
SpeedUp RootProfile::expected(unsigned cores) const noexcept {
  const auto alone = static_cast<double>(std::max(work, span).count());
  if (cores < 2 || alone <= 0) return {};
  const double share = static_cast<double>(work.count()) / cores;
  const auto path = static_cast<double>(span.count());
  const auto burdened = static_cast<double>(std::max(burdened_span, span).count());
  const double high = alone / std::max(share, path);
  return {.low = std::min(high, alone / (share + burdened * (1 - 1.0 / cores))), .high = high};
}

Diagnosis::Diagnosis() : run_(std::make_unique<DiagnosisRun>()) {}

Diagnosis::~Diagnosis() = default;

void Diagnosis::stop() {
  if (run_->is_stopped) return;
  run_->profile.stop();
  run_->tracks = Recorder::instance().copy();
  run_->clock_end = detail::TraceClock::read();
  detail::attach_fiber_names(run_->tracks, run_->clock_begin.ticks, run_->clock_end.ticks);
  run_->is_stopped = true;
  Recorder::instance().stop_analysis(run_->starter);
}

const Profile& Diagnosis::profile() const noexcept { return run_->profile; }

std::vector<Finding> Diagnosis::findings() const {
  const RunEvents events = events_of(*run_);
  const auto workers = static_cast<unsigned>(run_->profile.workers().size());
  RunReader reader(events, workers, 0);
  reader.read();
  reader.summary().cpus = std::max(std::thread::hardware_concurrency(), 1u);
  add_profile(reader.summary(), run_->profile);
  return detail::find_causes(reader.summary());
}

// The first reading measures the cost of an edge.
std::vector<RootProfile> Diagnosis::roots() const {
  const RunEvents events = events_of(*run_);
  RunReader first(events, 0, 0);
  first.read();
  const detail::Samples& latencies = first.latencies();
  RunReader second(events, 0,
                   latencies.count() < kEnoughMeasurements ? kUsualBurden : latencies.median());
  second.read();
  return roots_of(second);
}

}  // namespace jobs::inline JOBS_ABI::trace
