// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The table and the JSON file.
#include "bench/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace bench {
namespace {

constexpr std::string_view kLine = "{:<20} {:>3} {:<12} {:>12} {:>12} {:>12} {:>9} {:<18} {}\n";

nlohmann::ordered_json finite(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string show(double figure, std::string_view unit) {
  if (!std::isfinite(figure)) return "-";
  if (unit != "ns") return fmt::format("{:.3g} {}", figure, unit);
  constexpr std::array<std::string_view, 4> kScales = {"ns", "us", "ms", "s"};
  std::size_t scale = 0;
  while (figure >= 999.5 && scale + 1 < kScales.size()) {
    figure /= 1000;
    ++scale;
  }
  return fmt::format("{:.{}f} {}", figure,
                     figure < 9.995   ? 2
                     : figure < 99.95 ? 1
                                      : 0,
                     kScales[scale]);
}

Gate::Verdict judge(const Row& row) {
  return row.spec->gate.judge(row.jobs, row.ratio, row.interval);
}

std::string_view show(Gate::Verdict verdict) {
  switch (verdict) {
    case Gate::Verdict::kPass:
      return "PASS ";
    case Gate::Verdict::kMiss:
      return "MISS ";
    case Gate::Verdict::kNone:
      break;
  }
  return "";
}

void print_banner(const Machine& machine, const std::string& commit, const Effort& effort) {
  fmt::print("machine   {}\ncompiler  {}\npeers     {}\ncommit    {}\n", machine.name,
             machine.compiler, machine.peers, commit);
  fmt::print(
      "rounds    {} to {}{}, jobs and peer in turn; ratio = peer / jobs, above 1 jobs is ahead\n\n",
      effort.rounds, effort.max_rounds, effort.quick ? " (quick)" : "");
  fmt::print(fmt::runtime(kLine), "workload", "W", "peer", "jobs", "peer", "serial", "ratio",
             "[95 %]", "gate");
  std::fflush(stdout);
}

void print_row(const Row& row) {
  const bool has_ratio = std::isfinite(row.ratio);
  std::string note = fmt::format("{}{}", show(judge(row)), row.spec->gate.describe());
  if (row.disturbed > 0) {
    note += fmt::format("; {} rounds disturbed, {}", row.disturbed,
                        row.noisy ? "all counted" : "replaced");
  }
  fmt::print(
      fmt::runtime(kLine), row.spec->workload, row.comparison->jobs.workers,
      row.comparison->peer.runtime, show(row.jobs, row.spec->unit), show(row.peer, row.spec->unit),
      show(row.serial, row.spec->unit), has_ratio ? fmt::format("{:.3f}", row.ratio) : "-",
      has_ratio ? fmt::format("[{:.3f}, {:.3f}]", row.interval.lo, row.interval.hi) : "", note);
  std::fflush(stdout);
}

void print_summary(const std::vector<Row>& rows, int wrong_results) {
  const auto count = [&rows](Gate::Verdict verdict) {
    return std::count_if(rows.begin(), rows.end(),
                         [verdict](const Row& row) { return judge(row) == verdict; });
  };
  fmt::print("\n{} rows, {}; gates: {} passed, {} missed, {} rows only reported\n", rows.size(),
             wrong_results == 0
                 ? "every result correct"
                 : fmt::format("WRONG RESULTS of {} comparisons, left out", wrong_results),
             count(Gate::Verdict::kPass), count(Gate::Verdict::kMiss), count(Gate::Verdict::kNone));
}

std::string to_json(const std::vector<Row>& rows, const Machine& machine, const std::string& commit,
                    bool quick) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    array.push_back({
        {"workload", row.spec->workload},
        {"workers", row.comparison->jobs.workers},
        {"peer", row.comparison->peer.runtime},
        {"jobs_ns", finite(row.jobs)},
        {"peer_ns", finite(row.peer)},
        {"ratio", finite(row.ratio)},
        {"ratio_lo", finite(row.interval.lo)},
        {"ratio_hi", finite(row.interval.hi)},
        {"checked", true},
        {"unit", row.spec->unit},
        {"ops", row.comparison->operations},
        {"rounds", row.rounds},
        {"machine", machine.name},
        {"commit", commit},
        {"compiler", machine.compiler},
        {"quick", quick},
    });
  }
  return array.dump(2) + "\n";
}

}  // namespace bench
