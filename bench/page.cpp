// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The page in Markdown and the picture in SVG.
#include "bench/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string_view>

#include "bench/report.hpp"

namespace bench {
namespace {

// The picture, in pixels: one line per row with its name on the left and the ratio on a logarithmic
// axis.
constexpr int kLineHeight = 18;
constexpr int kTop = 40;
constexpr int kAxisLeft = 250;
constexpr int kAxisRight = 800;
constexpr int kWidth = 870;
constexpr double kLeast = 0.5;
constexpr double kMost = 64;

constexpr std::string_view kAhead = "#1a7f37";
constexpr std::string_view kTie = "#6e7781";
constexpr std::string_view kBehind = "#cf222e";

// The picture compares libraries, in the form of calls that programs use.
bool is_shown(const Row& row) {
  const Comparison& comparison = *row.comparison;
  return std::isfinite(row.ratio) && comparison.is_quick && !comparison.peer.is_jobs();
}

// The whole interval counts: an interval on both sides of 1 is a tie.
std::string_view colour(const Row& row) {
  if (row.interval.lo > 1) return kAhead;
  return row.interval.hi < 1 ? kBehind : kTie;
}

double x_of(double ratio) {
  const double part =
      std::log(std::clamp(ratio, kLeast, kMost) / kLeast) / std::log(kMost / kLeast);
  return kAxisLeft + part * (kAxisRight - kAxisLeft);
}

std::string axis(int height) {
  std::string svg;
  for (double tick = kLeast; tick <= kMost; tick *= 2) {
    svg += fmt::format(
        R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}" stroke="{3}"/><text x="{0:.1f}" y="{4}" text-anchor="middle">{5:g}</text>)"
        "\n",
        x_of(tick), kTop - 10, height - 10, tick == 1 ? "#24292f" : "#d0d7de", kTop - 16, tick);
  }
  return svg;
}

std::string line(const Row& row, int y) {
  return fmt::format(
      R"(<text x="10" y="{}">{} W{}, {}</text><line x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}" stroke="{}" stroke-width="3"/>)"
      R"(<circle cx="{:.1f}" cy="{}" r="4" fill="{}"/><text x="{}" y="{}">{:.2f}</text>)"
      "\n",
      y + 4, row.spec->workload, row.comparison->jobs.workers, row.comparison->peer.runtime,
      x_of(row.interval.lo), x_of(row.interval.hi), y, y, colour(row), x_of(row.ratio), y,
      colour(row), kAxisRight + 15, y + 4, row.ratio);
}

std::string picture(const std::vector<Row>& rows) {
  const auto shown = static_cast<int>(std::count_if(rows.begin(), rows.end(), is_shown));
  const int height = kTop + kLineHeight * shown + 10;
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="sans-serif" font-size="12">)"
      "\n"
      R"(<rect width="100%" height="100%" fill="white"/>)"
      "\n",
      kWidth, height);
  svg += axis(height);
  int y = kTop + kLineHeight / 2;
  for (const Row& row : rows) {
    if (!is_shown(row)) continue;
    svg += line(row, y);
    y += kLineHeight;
  }
  return svg + "</svg>\n";
}

std::string table(const std::vector<Row>& rows) {
  std::string text =
      "| workload | W | peer | jobs | peer's | serial | ratio [95 %] | gate "
      "|\n|---|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    const bool has_ratio = std::isfinite(row.ratio);
    text += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} | {}{} |\n", row.spec->workload,
        row.comparison->jobs.workers, row.comparison->peer.runtime, show(row.jobs, row.spec->unit),
        show(row.peer, row.spec->unit), show(row.serial, row.spec->unit),
        has_ratio
            ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", row.ratio, row.interval.lo, row.interval.hi)
            : "-",
        show(judge(row)), row.spec->gate.describe());
  }
  return text;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file;
  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(path);
  file << text;
  file.close();
}

}  // namespace

void write_page(const std::filesystem::path& page, const std::vector<Row>& rows,
                const Machine& machine, const std::string& commit, const Effort& effort) {
  const std::filesystem::path svg = std::filesystem::path(page).replace_extension(".svg");
  write(svg, picture(rows));
  write(page,
        fmt::format(
            "# Benchmarks\n\nWritten by `scripts/bench --report`; bench/README.md says how it is "
            "measured and what the columns "
            "mean.\n\n- machine: {}\n- compiler: {}\n- peers: {}\n- commit: {}\n- rounds: at least "
            "{}{}, "
            "jobs and peer in turn\n\n"
            "Rows of algorithms call free functions from `main`, as programs do. The peer `bound` "
            "and "
            "the rows `*_bound` show a thread that is bound to a scheduler; `*_named` marks jobs "
            "of a "
            "named scheduler.\n\n"
            "Ratio = peer's time / ours, median and 95 % interval: above 1 `jobs` is ahead. Green: "
            "the "
            "whole interval is; "
            "grey: it may be either; red: `jobs` is behind.\n\n![Ratio of each row]({})\n\n{}",
            machine.name, machine.compiler, machine.peers, commit, effort.rounds,
            effort.quick ? " (quick)" : "", svg.filename().string(), table(rows)));
}

}  // namespace bench
