// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_compare: compares jobs with other libraries, pair by pair, in one process. scripts/bench
// builds and runs it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "bench/comparisons.hpp"
#include "bench/page.hpp"
#include "bench/report.hpp"
#include "bench/rounds.hpp"

namespace {

using std::chrono_literals::operator""ms;
constexpr bench::Effort kThorough{
    .rounds = 15, .max_rounds = 45, .serial_rounds = 3, .time = 4'000ms, .quick = false};
constexpr bench::Effort kQuick{
    .rounds = 7, .max_rounds = 21, .serial_rounds = 1, .time = 1'000ms, .quick = true};

constexpr int kWrongResult = 1;
constexpr int kBadUse = 2;

struct Options {
  bool quick = false;
  bool list = false;
  std::string json;
  std::string page;
  std::string commit = "unknown";
  unsigned workers = 2;
  std::vector<std::string> filters;
};

bool matches(const bench::Comparison& comparison, const std::string& filter) {
  return std::any_of(comparison.rows.begin(), comparison.rows.end(),
                     [&filter](const bench::RowSpec& row) {
                       return row.workload.find(filter) != std::string_view::npos;
                     });
}

bool selected(const bench::Comparison& comparison, const Options& options) {
  if (options.filters.empty()) return comparison.is_quick || !options.quick;
  return std::ranges::any_of(options.filters, [&comparison](const std::string& filter) {
    return matches(comparison, filter);
  });
}

void list(const Options& options) {
  for (const bench::Comparison& comparison : bench::comparisons_with(options.workers)) {
    if (!selected(comparison, options)) continue;
    for (const bench::RowSpec& row : comparison.rows) {
      fmt::print("{:<20} W{} {:<12} {:<10} {}\n", row.workload, comparison.jobs.workers,
                 comparison.peer.runtime, row.unit, row.gate.describe());
    }
  }
}

int compare(const Options& options) {
  // Opens the output files before the measurements: a file that cannot be written must not cost a
  // whole run.
  for (const std::string& file : {options.json, options.page}) {
    if (!file.empty() && !std::ofstream(file, std::ios::app)) {
      fmt::print(stderr, "bench_compare: cannot write {}\n", file);
      return kBadUse;
    }
  }
  const bench::Effort& effort = options.quick ? kQuick : kThorough;
  const bench::Machine machine = bench::this_machine();
  std::vector<bench::Row> all;
  int wrong_results = 0;
  const std::vector<bench::Comparison> comparisons = bench::comparisons_with(options.workers);
  for (const bench::Comparison& comparison : comparisons) {
    if (!selected(comparison, options)) continue;
    if (all.empty() && wrong_results == 0) bench::print_banner(machine, options.commit, effort);
    // The rows of a wrong result are left out; the other rows of a long run are valid.
    try {
      for (const bench::Row& row : bench::run_rounds(comparison, effort)) {
        bench::print_row(row);
        all.push_back(row);
      }
    } catch (const bench::WrongResult& wrong) {
      fmt::print(stderr, "bench_compare: wrong result: {}\n", wrong.what());
      ++wrong_results;
    }
  }
  if (all.empty() && wrong_results == 0) {
    fmt::print(stderr, "bench_compare: no workload has \"{}\" in its name; see --list\n",
               fmt::join(options.filters, "\" or \""));
    return kBadUse;
  }
  bench::print_summary(all, wrong_results);
  if (!options.page.empty()) bench::write_page(options.page, all, machine, options.commit, effort);
  if (!options.json.empty())
    std::ofstream(options.json) << bench::to_json(all, machine, options.commit, options.quick);
  return wrong_results == 0 ? 0 : kWrongResult;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Compares jobs with its peers, every result checked. A missed gate is reported and does not "
      "fail the run.");
  Options options;
  app.add_flag("--quick", options.quick,
               fmt::format("{} rounds at least instead of {}", kQuick.rounds, kThorough.rounds));
  app.add_flag("--list", options.list, "name the rows and their gates, run nothing");
  app.add_option("--json", options.json, "write the rows to this file as well");
  app.add_option("--page", options.page,
                 "write a human-readable page to this file as well, and a picture beside it");
  app.add_option(
         "--workers", options.workers,
         "workers of the rows that have two on a small machine; their gates are those of two")
      ->check(CLI::Range(2, 256));
  app.add_option("--commit", options.commit, "what is measured, for the report");
  app.add_option("filter", options.filters, "only workloads with one of these in their name");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kBadUse;
  }
  try {
    if (options.list) {
      list(options);
      return 0;
    }
    return compare(options);
  } catch (const std::ios_base::failure& failure) {
    fmt::print(stderr, "bench_compare: cannot write {}: {}\n", options.page, failure.what());
    return kBadUse;
  }
}
