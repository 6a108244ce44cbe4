// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// The figures of a Scheduler as text for other programs: JSON and OpenMetrics.
///
/// `jobs/jobs.hpp` does not include this header, because few programs need it. A static program
/// contains the texts only if it calls one of the functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "jobs/base/config.hpp"
#include "jobs/stats.hpp"

namespace jobs::inline JOBS_ABI {

/// Returns the figures as one JSON object.
///
/// The names are the names of the members of Stats. All values are whole numbers, and may need 64
/// bits.
///
/// @snippet scheduling.cpp stats_text
///
/// @param stats  figures, as of Scheduler::stats()
/// @returns object without a line break, such as `{"jobs":3,"steals":1,...}`
/// @throws std::bad_alloc if there is no memory
/// @complexity O(1), about 1 KB of text
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT std::string to_json(const Stats& stats);

/// The figures of one of several schedulers in an OpenMetrics text.
struct LabelledStats {
  /// Value of the label `scheduler`, in UTF-8; empty: no label.
  std::string_view scheduler;
  /// Figures of this scheduler.
  Stats stats;
};

/// Returns the figures of several schedulers as an OpenMetrics exposition.
///
/// The text is what a scraper such as Prometheus gets from a program by HTTP, with the content type
/// `application/openmetrics-text; version=1.0.0; charset=utf-8`. The names of metrics begin with
/// `jobs_`. Times are in seconds with nine digits, and sizes in bytes. Sums are counters, all other
/// figures are gauges.
///
/// @param schedulers  figures with labels; the labels must differ from each other
/// @returns text; its last line is `# EOF`
/// @throws std::bad_alloc if there is no memory
/// @complexity O(schedulers), about 4 KB of text for one
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT std::string to_open_metrics(std::span<const LabelledStats> schedulers);

/// Returns the figures of one scheduler as an OpenMetrics exposition.
///
/// @param stats  figures, as of Scheduler::stats()
/// @returns text without labels; its last line is `# EOF`
/// @throws std::bad_alloc if there is no memory
/// @complexity O(1), about 4 KB of text
/// @thread_safety any thread or fiber, concurrently
[[nodiscard]] JOBS_EXPORT std::string to_open_metrics(const Stats& stats);

}  // namespace jobs::inline JOBS_ABI
