// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_scaling PAGE: simulates the scheduler with 1 to 512 workers (scaling/simulator.hpp). It
// measures the same with the library on this machine, as far as its processors allow. It writes a
// human-readable page with a picture. Without a page, it prints only the figures.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/scaling/simulator.hpp"
#include "bench/support/process.hpp"
#include "bench/support/statistics.hpp"
#include "bench/support/stopwatch.hpp"
#include "jobs/jobs.hpp"

namespace {

using bench::scaling::Costs;
using bench::scaling::Result;
using bench::scaling::Setting;
using bench::scaling::Shape;

// Of each worker, for a run without overhead.
constexpr double kTimeNs = 5e6;
constexpr unsigned kMostWorkers = 512;
constexpr std::array kLeaves = {100.0, 1e3, 1e4, 1e5};  // ns
constexpr std::array<std::string_view, 4> kColours = {"#cf222e", "#bf8700", "#1a7f37", "#0969da"};

struct Series {
  Shape shape;
  bool hot;
  std::string_view name;
  std::string_view mark;
};
constexpr std::array<Series, 4> kSeries = {
    {{Shape::kTree, true, "fork_join, others awake", "hot tree"},
     {Shape::kLoop, true, "parallel_for, others awake", "hot loop"},
     {Shape::kTree, false, "fork_join, cold", "cold tree"},
     {Shape::kLoop, false, "parallel_for, cold", "cold loop"}}};

Result simulate(const Series& series, double leaf_ns, unsigned workers) {
  const auto leaves = static_cast<std::int64_t>(workers * kTimeNs / leaf_ns);
  return bench::scaling::simulate(Costs{}, Setting{.workers = workers,
                                                   .leaf_ns = leaf_ns,
                                                   .leaves = leaves,
                                                   .shape = series.shape,
                                                   .spinning = series.hot});
}

// --- measured ------------------------------------------------------------------------------------

// A number of dependent arithmetic steps: a leaf that reads no memory.
std::uint64_t compute(std::int64_t steps) {
  auto x = static_cast<std::uint64_t>(steps);
  for (std::int64_t i = 0; i < steps; ++i) x = bench::opaque(x * 0x9E3779B97F4A7C15 + 1);
  return x;
}

std::int64_t steps_of(double leaf_ns) {
  constexpr std::int64_t kMany = 3'000'000;
  double best = 1e18;
  for (int i = 0; i < 5; ++i) {
    const bench::Stopwatch stopwatch;
    compute(kMany);
    best = std::min(best, stopwatch.elapsed_ns());
  }
  return std::max<std::int64_t>(1, std::llround(leaf_ns * static_cast<double>(kMany) / best));
}

void tree(std::int64_t leaves, std::int64_t steps) {
  if (leaves == 1) {
    compute(steps);
    return;
  }
  jobs::fork_join([=] { tree(leaves - leaves / 2, steps); }, [=] { tree(leaves / 2, steps); });
}

double measured_ns(Shape shape, std::int64_t leaves, std::int64_t steps, unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
  return scheduler.run([&] {
    const bench::Stopwatch stopwatch;
    if (shape == Shape::kTree) {
      tree(leaves, steps);
    } else {
      jobs::parallel_for(
          std::int64_t{0}, leaves, [steps](std::int64_t) { compute(steps); }, jobs::Grain{1});
    }
    return stopwatch.elapsed_ns();
  });
}

// Returns the median speed-up against one worker, both measured in turn. Returns "-" if other
// programs used a part of the machine in each round.
std::string measured_speed_up(Shape shape, double leaf_ns, unsigned workers) {
  const auto leaves = static_cast<std::int64_t>(workers * kTimeNs / leaf_ns);
  const std::int64_t steps = steps_of(leaf_ns);
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::vector<double> ratios;
    const auto before = bench::ProcessorTime::now();
    for (int round = 0; round < 31; ++round) {
      const double alone = measured_ns(shape, leaves, steps, 1);
      ratios.push_back(alone / measured_ns(shape, leaves, steps, workers));
    }
    if (!bench::disturbed(before, bench::ProcessorTime::now()))
      return fmt::format("{:.2f}", bench::median(ratios));
  }
  return "-";
}

std::string comparison() {
  const unsigned workers =
      std::min(std::max(2u, std::thread::hardware_concurrency()), kMostWorkers);
  std::string text = fmt::format(
      "| speed-up of {} workers | leaf | simulated | measured here |\n|---|---|---|---|\n",
      workers);
  for (const Series& series : kSeries) {
    // The workers of a new scheduler sleep.
    if (series.hot) continue;
    for (const double leaf : kLeaves) {
      const double alone = simulate(series, leaf, 1).efficiency;
      text += fmt::format("| {} | {:g} us | {:.2f} | {} |\n", series.name, leaf / 1e3,
                          workers * simulate(series, leaf, workers).efficiency / alone,
                          measured_speed_up(series.shape, leaf, workers));
    }
  }
  return text;
}

// --- picture -------------------------------------------------------------------------------------

constexpr double kPanelWidth = 400, kPanelHeight = 260, kLeft = 50, kTop = 40, kGap = 60;

double x_of(double panel, double workers) {
  return panel + std::log2(workers) / std::log2(kMostWorkers) * kPanelWidth;
}
double y_of(double panel, double efficiency) { return panel + (1 - efficiency) * kPanelHeight; }

std::string panel(const Series& series, double left, double top) {
  std::string svg = fmt::format("<text x=\"{}\" y=\"{}\" font-weight=\"bold\">{}</text>\n", left,
                                top - 12, series.name);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    const double y = y_of(top, tenth / 10.0);
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" stroke=\"#d0d7de\"/>"
        "<text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        left, left + kPanelWidth, y, left - 6, y + 4, tenth / 10.0);
  }
  for (unsigned workers = 1; workers <= kMostWorkers; workers *= 2) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                       x_of(left, workers), top + kPanelHeight + 16, workers);
  }
  return svg;
}

std::string curve(const std::vector<double>& efficiencies, std::string_view colour, double left,
                  double top) {
  std::string points, dots;
  unsigned workers = 1;
  for (const double efficiency : efficiencies) {
    const double x = x_of(left, workers), y = y_of(top, efficiency);
    points += fmt::format("{:.1f},{:.1f} ", x, y);
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>", x, y, colour);
    workers *= 2;
  }
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>{}\n",
                     points, colour, dots);
}

// --- page ----------------------------------------------------------------------------------------

struct Sheet {
  std::string svg, table;
};

Sheet sweep() {
  const double width = 2 * (kPanelWidth + kGap) + kLeft,
               height = 2 * (kPanelHeight + kGap + 20) + kTop + 20;
  Sheet sheet;
  sheet.svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      width, height);
  sheet.table =
      "| | leaf | efficiency of 2, 8, 32, 128, 512 workers | thefts a worker | shared RMWs a leaf "
      "| wait for each, us "
      "|\n"
      "|---|---|---|---|---|---|\n";
  for (std::size_t s = 0; s < kSeries.size(); ++s) {
    const double left = kLeft + static_cast<double>(s % 2) * (kPanelWidth + kGap);
    const double top = kTop + static_cast<double>(s / 2) * (kPanelHeight + kGap + 20);
    sheet.svg += panel(kSeries[s], left, top);
    for (std::size_t leaf = 0; leaf < kLeaves.size(); ++leaf) {
      std::vector<double> efficiencies;
      std::string shown;
      Result last{};
      for (unsigned workers = 1; workers <= kMostWorkers; workers *= 2) {
        last = simulate(kSeries[s], kLeaves[leaf], workers);
        efficiencies.push_back(last.efficiency);
        if (workers != 1 && (efficiencies.size() - 2) % 2 == 0)
          shown += fmt::format(" {:.2f}", last.efficiency);
      }
      sheet.svg += curve(efficiencies, kColours[leaf], left, top);
      if (s == 0) {
        sheet.svg += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{:g} us a leaf</text>\n",
                                 kLeft + 20 + 110 * static_cast<double>(leaf), height - 12,
                                 kColours[leaf], kLeaves[leaf] / 1e3);
      }
      sheet.table +=
          fmt::format("| {} | {:g} us |{} | {:.0f} | {:.4f} | {:.1f} |\n", kSeries[s].mark,
                      kLeaves[leaf] / 1e3, shown, static_cast<double>(last.thefts) / kMostWorkers,
                      last.idle_line_rmws, last.line_wait_ns / 1e3);
      fmt::print("{} {:g} us:{}\n", kSeries[s].mark, kLeaves[leaf] / 1e3, shown);
    }
  }
  sheet.svg += "</svg>\n";
  return sheet;
}

std::string page(const Sheet& sheet, const std::string& compared, const std::string& picture) {
  const Costs costs;
  return fmt::format(
      R"(# Scaling, simulated

Written by `bench_scaling`. The project has no machine with many processors, so this page shows a discrete-event model of the
protocol (bench/scaling/simulator.hpp). The model covers private and public deques, requests and forced publications, pauses
between thefts, at most half of the workers searching eagerly, chained wake-ups, and joins that only the home worker of a fiber
continues. It shows the cost of the protocol without memory, caches and kernels. One call divides work of {0:g} ms for each worker; efficiency is the part of the workers' time that went into leaves.

![Efficiency by number of workers]({1})

{2}
The last three columns show 512 workers. The loss hardly depends on the length of a call. It consists of the beginning, until each
worker has a part; the end, when parts are small; and thieves that wait for the cache line on which searching workers count
themselves (`jobs/runtime/parking/idle.hpp`). With all workers awake, that line costs most from about 64 workers on. Workers wake
one after another, so in the cold rows worker `n` begins after `n` wake-ups.

## How far to trust it

{3}
Speed-up against one worker, in a call that finds the other workers asleep. "-": other programs ran meanwhile, so there is no measurement.

## Assumptions

| ns | what | from |
|---|---|---|
| {4:g} | fork and join of a child that no thief takes | row `fib`, W1, less the calls |
| {5:g} | more for a take from a public deque | jobs/queue/README.md, figures |
| {6:g} | making a deque public, by its owner | a compare-exchange in a line that thieves read |
| {7:g}, {8:g} | a line from a worker of the same {9}, and of a worker further away | assumed: one cache, two sockets |
| {10:g} | a read-modify-write in a line of the own cache | a locked instruction of x86-64 |
| {11:g} | to another fiber and back | row `switch`, and the pools |
| {12:g}, {13:g} | membarrier, for the caller and for each running thread | jobs/runtime/parking/forced_publication.cpp |
| {14:g}, {15:g} | a wake-up for the waker, and until the sleeper looks | assumed: bare metal; a virtual machine has 10,000 and 50,000 |

Thieves that only look do not slow an owner down; a thief pays one line for each deque that has changed since its last look. The
kernel never takes a worker from its CPU. All leaves take the same time and touch no memory.
)",
      kTimeNs / 1e6, picture, sheet.table, compared, costs.fork, costs.take_shared, costs.share,
      costs.near, costs.far, costs.group, costs.rmw, costs.fiber, costs.heavy_fence, costs.fenced,
      costs.futex, costs.wake);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app(
      "Simulates 1 to 512 workers, and measures the same on this machine as far as it goes.");
  std::filesystem::path page_path;
  app.add_option("page", page_path,
                 "write a page for people to this file, and a picture beside it");
  CLI11_PARSE(app, argc, argv);
  const auto svg_path = std::filesystem::path(page_path).replace_extension(".svg");
  std::ofstream page_file, svg_file;
  if (!page_path.empty()) {
    // Before the measurements, because a file that cannot be written must not cost a whole run.
    page_file.open(page_path);
    svg_file.open(svg_path);
    if (!page_file || !svg_file) {
      fmt::print(stderr, "bench_scaling: cannot write {} and {}\n", page_path.string(),
                 svg_path.string());
      return 2;
    }
  }
  const std::string compared = comparison();
  fmt::print("{}", compared);
  const Sheet sheet = sweep();
  if (page_path.empty()) return 0;
  svg_file << sheet.svg;
  page_file << page(sheet, compared, svg_path.filename().string());
  return 0;
}
