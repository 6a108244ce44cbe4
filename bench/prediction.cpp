// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_prediction [--rounds N] [--gate PERCENT]: the speed-up that jobs::trace::Diagnosis predicts
// for two workers from a run with one worker, beside the measured one. A round runs each program
// three times: with one worker, with two workers, and with one worker while a Diagnosis records.
// The figures are medians of the rounds. With --gate, exits with 1 if a measured speed-up is
// further from the lower prediction. Rows that other programs have disturbed do not count.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bench/prediction/programs.hpp"
#include "bench/support/process.hpp"
#include "bench/support/statistics.hpp"
#include "bench/support/stopwatch.hpp"
#include "jobs/diagnosis.hpp"
#include "jobs/jobs.hpp"

namespace {

using bench::prediction::Program;

constexpr unsigned kWorkers = 2;
constexpr double kWholeRun = 0.95;  // the least share of all work that the root of a run has

// Returns the time of the work in ns. `diagnosis`: null: the run is not recorded.
double run(const Program& program, unsigned workers,
           std::optional<jobs::trace::Diagnosis>* diagnosis = nullptr) {
  program.prepare();
  bench::settle();
  jobs::Scheduler scheduler({.worker_count = workers});
  if (diagnosis != nullptr) diagnosis->emplace();
  const double ns = scheduler.run([&program] {
    const bench::Stopwatch stopwatch;
    program.work();
    return stopwatch.elapsed_ns();
  });
  if (diagnosis != nullptr) (*diagnosis)->stop();
  program.check();
  return ns;
}

// Returns the root of a recorded run with one worker.
jobs::trace::RootProfile root_of(const Program& program) {
  std::optional<jobs::trace::Diagnosis> diagnosis;
  run(program, 1, &diagnosis);
  const std::vector<jobs::trace::RootProfile> roots = diagnosis->roots();
  double work = 0;
  for (const auto& root : roots) work += static_cast<double>(root.work.count());
  if (roots.empty() || static_cast<double>(roots[0].work.count()) < kWholeRun * work)
    throw bench::WrongResult(fmt::format("{}: the work has several roots", program.name));
  return roots[0];
}

struct Row {
  double work_ms;
  double span_ms;
  double low;
  double high;
  double measured;
  bool is_disturbed;  // other programs used a part of the machine

  // How far the measured speed-up is from the lower prediction.
  double deviation() const { return measured / low - 1; }
};

Row measure(const Program& program, int rounds) {
  std::vector<double> work, span, low, high, ratios;
  run(program, kWorkers);  // the first run touches its memory
  const auto before = bench::ProcessorTime::now();
  for (int i = 0; i < rounds; ++i) {
    const double alone = run(program, 1);
    ratios.push_back(alone / run(program, kWorkers));
    const jobs::trace::RootProfile root = root_of(program);
    work.push_back(static_cast<double>(root.work.count()) / 1e6);
    span.push_back(static_cast<double>(root.span.count()) / 1e6);
    const jobs::trace::SpeedUp expected = root.expected(kWorkers);
    low.push_back(expected.low);
    high.push_back(expected.high);
  }
  return {.work_ms = bench::median(work),
          .span_ms = bench::median(span),
          .low = bench::median(low),
          .high = bench::median(high),
          .measured = bench::median(ratios),
          .is_disturbed = bench::disturbed(before, bench::ProcessorTime::now())};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares the speed-up that a Diagnosis predicts with the measured one.");
  int rounds = 15;
  app.add_option("--rounds", rounds, "rounds of each program")->check(CLI::PositiveNumber);
  double gate = 0;
  app.add_option("--gate", gate, "exit with 1 if a program is further off, in percent");
  CLI11_PARSE(app, argc, argv);
  if (std::thread::hardware_concurrency() < kWorkers) {
    fmt::print("{} workers need as many processors\n", kWorkers);
    return 77;
  }
  fmt::print("{:<13} {:>8} {:>8}  {:>9} {:>8} {:>5}  limit\n", "program", "work ms", "span ms",
             "predicted", "measured", "off");
  bool is_far = false;
  try {
    for (const Program& program : bench::prediction::programs()) {
      const Row row = measure(program, rounds);
      fmt::print("{:<13} {:>8.2f} {:>8.2f}  {:.2f}-{:.2f} {:>8.2f} {:>+4.0f}%  {}{}{}\n",
                 program.name, row.work_ms, row.span_ms, row.low, row.high, row.measured,
                 100 * row.deviation(), program.limit,
                 program.is_predictable ? "" : " (not in the prediction)",
                 row.is_disturbed ? "; disturbed" : "");
      is_far |=
          program.is_predictable && !row.is_disturbed && std::abs(100 * row.deviation()) > gate;
    }
  } catch (const bench::WrongResult& wrong) {
    fmt::print(stderr, "bench_prediction: {}\n", wrong.what());
    return 1;
  }
  return gate > 0 && is_far ? 1 : 0;
}
