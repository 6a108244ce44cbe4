// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rounds of a comparison, and their evaluation.
#include "bench/rounds.hpp"

#include <algorithm>
#include <random>

#include "bench/support/process.hpp"

namespace bench {
namespace {

// A row that has to show a tie gets this many times the rounds, and again as many while its
// interval is too wide. The width of the interval does not depend on the side of 1, so this
// stopping rule favours neither side.
constexpr int kMoreIfClose = 3;
constexpr double kNarrow = 0.03;

// Figures of one runtime; element [row][round].
using Samples = std::vector<std::vector<double>>;

struct Round {
  Figures jobs;
  Figures peer;
  Figures serial;
  bool disturbed = false;
};

// Runs both sides in random order: a steady trend cancels over the rounds.
Round run_round(const Comparison& comparison, bool jobs_first, bool with_serial, bool quick) {
  const std::string_view workload = comparison.rows.front().workload;
  Round round;
  const ProcessorTime before = ProcessorTime::now();
  if (jobs_first) round.jobs = measure(workload, comparison.jobs, quick);
  round.peer = measure(workload, comparison.peer, quick);
  if (!jobs_first) round.jobs = measure(workload, comparison.jobs, quick);
  round.disturbed = disturbed(before, ProcessorTime::now());
  if (with_serial && comparison.serial != nullptr)
    round.serial = measure(workload, comparison.serial_side(), quick);
  return round;
}

std::vector<double> column(const std::vector<Round>& rounds, Figures Round::* side,
                           std::size_t row) {
  std::vector<double> samples;
  for (const Round& round : rounds) {
    if (row < (round.*side).size()) samples.push_back((round.*side)[row]);
  }
  return samples;
}

Interval interval_of(const std::vector<Round>& rounds, std::size_t row) {
  return bootstrap_median(
      paired_ratios(column(rounds, &Round::peer, row), column(rounds, &Round::jobs, row)));
}

bool is_narrow(const std::vector<RowSpec>& rows, const std::vector<Round>& rounds) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].gate.needs_interval()) continue;
    const Interval interval = interval_of(rounds, i);
    if (interval.hi - interval.lo > kNarrow) return false;
  }
  return true;
}

}  // namespace

std::vector<Row> run_rounds(const Comparison& comparison, const Effort& effort) {
  using Clock = std::chrono::steady_clock;
  static std::mt19937 random(std::random_device{}());
  std::vector<Round> clean;
  std::vector<Round> all;
  const bool is_close = std::ranges::any_of(
      comparison.rows, [](const RowSpec& row) { return row.gate.needs_interval(); });
  const int more = is_close ? kMoreIfClose : 1;
  const auto end = Clock::now() + effort.time * more;
  const auto last_end = end + effort.time * more * kMoreIfClose;
  const auto rounds_wanted = [&] {
    const auto now = Clock::now();
    if (now < end) return effort.max_rounds * more;
    const bool goes_on =
        is_close && !effort.quick && now < last_end && !is_narrow(comparison.rows, clean);
    return goes_on ? effort.max_rounds * more * kMoreIfClose : effort.rounds;
  };
  for (int i = 0;; ++i) {
    const int wanted = rounds_wanted();
    // Half as many rounds again replace disturbed ones. A machine that is always shared must not
    // delay the run forever, and --quick does not wait for quiet rounds.
    const int replacements = effort.quick ? 0 : wanted / 2;
    if (static_cast<int>(clean.size()) >= wanted || i >= wanted + replacements) break;
    all.push_back(run_round(comparison, random() % 2 == 0, i < effort.serial_rounds, effort.quick));
    if (!all.back().disturbed) clean.push_back(all.back());
  }
  const bool noisy = static_cast<int>(clean.size()) < effort.rounds;
  const std::vector<Round>& counted = noisy ? all : clean;

  std::vector<Row> rows;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
    const std::vector<double> jobs = column(counted, &Round::jobs, i);
    const std::vector<double> peer = column(counted, &Round::peer, i);
    const std::vector<double> ratios = paired_ratios(peer, jobs);
    rows.push_back({.comparison = &comparison,
                    .spec = &comparison.rows[i],
                    .jobs = median(jobs),
                    .peer = median(peer),
                    .serial = median(column(all, &Round::serial, i)),
                    .ratio = median(ratios),
                    .interval = interval_of(counted, i),
                    .rounds = static_cast<int>(counted.size()),
                    .disturbed = static_cast<int>(all.size() - clean.size()),
                    .noisy = noisy});
  }
  return rows;
}

}  // namespace bench
