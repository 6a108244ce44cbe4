// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The figures of a scheduler as JSON and as OpenMetrics text, from one table of all figures. Any
// thread may call the functions.
#include "jobs/stats_text.hpp"

#include <cstdint>
#include <cstdio>
#include <iterator>

namespace jobs::inline JOBS_ABI {

namespace {

enum class Unit : std::uint8_t { kNone, kBytes, kNanoseconds };
enum class Type : std::uint8_t { kCounter, kGauge };

struct Figure {
  const char* member;  // name in Stats and in JSON
  const char* metric;  // name in OpenMetrics; it ends with its unit
  Type type;
  Unit unit;
  const char* help;
  std::uint64_t (*value)(const Stats& stats) noexcept;
};

#define JOBS_FIGURE(member, metric, type, unit, help)                             \
  Figure {                                                                        \
    #member, metric, Type::type, Unit::unit, help,                                \
        [](const Stats& stats) noexcept -> std::uint64_t { return stats.member; } \
  }

constexpr Figure kFigures[] = {
    JOBS_FIGURE(jobs, "jobs_started", kCounter, kNone, "Jobs that have started."),
    JOBS_FIGURE(steals, "jobs_steals", kCounter, kNone, "Jobs taken from other workers."),
    JOBS_FIGURE(remote_steals, "jobs_remote_steals", kCounter, kNone,
                "Jobs taken from workers of other memory nodes."),
    JOBS_FIGURE(forced_publications, "jobs_forced_publications", kCounter, kNone,
                "Deques that thieves opened from outside."),
    JOBS_FIGURE(switches, "jobs_switches", kCounter, kNone, "Switches between fibers."),
    JOBS_FIGURE(parks, "jobs_parks", kCounter, kNone, "Times that a worker went to sleep."),
    JOBS_FIGURE(overruns, "jobs_overruns", kCounter, kNone, "Time slices that were used up."),
    JOBS_FIGURE(idle_ns, "jobs_idle_seconds", kCounter, kNanoseconds,
                "Time that workers spent searching or parked."),
    JOBS_FIGURE(timeouts, "jobs_timeouts", kCounter, kNone, "Deadlines that have passed."),
    JOBS_FIGURE(late_timeouts, "jobs_late_timeouts", kCounter, kNone,
                "Deadlines served more than 1 ms late."),
    JOBS_FIGURE(max_lateness_ns, "jobs_max_lateness_seconds", kGauge, kNanoseconds,
                "Largest lateness of a deadline."),
    JOBS_FIGURE(max_start_delay_ns, "jobs_max_start_delay_seconds", kGauge, kNanoseconds,
                "Longest observed time from the push of a job to its start."),
    JOBS_FIGURE(blocking_calls, "jobs_blocking_calls", kCounter, kNone,
                "Blocking calls that went to a thread."),
    JOBS_FIGURE(blocking_threads, "jobs_blocking_threads", kGauge, kNone,
                "Threads for blocking calls."),
    JOBS_FIGURE(active_workers, "jobs_active_workers", kGauge, kNone,
                "Workers that are not retired."),
    JOBS_FIGURE(throttled_periods, "jobs_throttled_periods", kCounter, kNone,
                "Times that the CPU quota was used up."),
    JOBS_FIGURE(throttled_ns, "jobs_throttled_seconds", kCounter, kNanoseconds,
                "Time for which the CPU quota stopped the process."),
    JOBS_FIGURE(fibers, "jobs_fibers", kGauge, kNone, "Fibers that exist."),
    JOBS_FIGURE(fibers_idle, "jobs_fibers_idle", kGauge, kNone, "Fibers in the pools."),
    JOBS_FIGURE(fibers_blocked, "jobs_fibers_blocked", kGauge, kNone,
                "Fibers that wait, or that are ready to run again."),
    JOBS_FIGURE(waiting_jobs, "jobs_waiting_jobs", kGauge, kNone,
                "Accepted jobs that no fiber runs yet."),
    JOBS_FIGURE(max_worker_fibers, "jobs_max_worker_fibers", kGauge, kNone,
                "Fibers on the worker that has the most."),
    JOBS_FIGURE(fiber_offers, "jobs_fiber_offers", kCounter, kNone,
                "Times that a worker with too many fibers left jobs to others."),
    JOBS_FIGURE(slab_bytes, "jobs_slab_bytes", kGauge, kBytes,
                "Memory that the workers hold for jobs."),
    JOBS_FIGURE(heap_blocks, "jobs_heap_blocks", kCounter, kNone,
                "Closures and blocks that came from the heap."),
};
#undef JOBS_FIGURE

// Every member of Stats has 64 bits, so a member without an entry is noticed here.
static_assert(sizeof(Stats) == sizeof(std::uint64_t) * std::size(kFigures));

void append_value(std::string& text, const Figure& figure, const Stats& stats) {
  const std::uint64_t value = figure.value(stats);
  if (figure.unit != Unit::kNanoseconds) {
    text += std::to_string(value);
    return;
  }
  constexpr std::uint64_t kSecond = 1'000'000'000;
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "%llu.%09llu",
                static_cast<unsigned long long>(value / kSecond),
                static_cast<unsigned long long>(value % kSecond));
  text += seconds;
}

void append_label(std::string& text, std::string_view scheduler) {
  if (scheduler.empty()) return;
  text += "{scheduler=\"";
  for (const char c : scheduler) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  text += "\"}";
}

}  // namespace

std::string to_json(const Stats& stats) {
  std::string text = "{";
  for (const Figure& figure : kFigures) {
    if (text.size() > 1) text += ',';
    text += '"';
    text += figure.member;
    text += "\":";
    text += std::to_string(figure.value(stats));
  }
  return text + '}';
}

std::string to_open_metrics(std::span<const LabelledStats> schedulers) {
  std::string text;
  for (const Figure& figure : kFigures) {
    const std::string metric = figure.metric;
    const bool is_counter = figure.type == Type::kCounter;
    text += "# TYPE " + metric + (is_counter ? " counter\n" : " gauge\n");
    if (figure.unit == Unit::kNanoseconds) text += "# UNIT " + metric + " seconds\n";
    if (figure.unit == Unit::kBytes) text += "# UNIT " + metric + " bytes\n";
    text += "# HELP " + metric + ' ' + figure.help + '\n';
    for (const auto& [scheduler, stats] : schedulers) {
      text += metric;
      if (is_counter) text += "_total";
      append_label(text, scheduler);
      text += ' ';
      append_value(text, figure, stats);
      text += '\n';
    }
  }
  return text + "# EOF\n";
}

std::string to_open_metrics(const Stats& stats) {
  const LabelledStats one{.scheduler = {}, .stats = stats};
  return to_open_metrics({&one, 1});
}

}  // namespace jobs::inline JOBS_ABI
