// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_single: the same contenders under Google Benchmark, for looking at one side: repetitions, filters, counters. The
// contenders hold the clock themselves (set-up and warm-up are not measured), so a time here is ns per operation.
#include <benchmark/benchmark.h>

#include <set>
#include <string>

#include "bench/comparisons.hpp"

namespace {

void add(const std::string& name, const bench::Side& side) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [side](benchmark::State& state) {
                                 for (auto _ : state) {
                                   try {
                                     const bench::Figures figures = side.measure({side.workers, false});
                                     state.SetIterationTime(figures.front() * 1e-9);
                                   } catch (const bench::WrongResult& wrong) {
                                     state.SkipWithError(wrong.what());
                                     return;
                                   }
                                 }
                               })
      ->UseManualTime()
      ->Iterations(5);
}

}  // namespace

int main(int argc, char** argv) {
  std::set<std::string> names;  // two comparisons may share a side
  for (const bench::Comparison& comparison : bench::comparisons()) {
    const bench::RowSpec& row = comparison.rows.front();
    if (row.unit != "ns") continue;
    for (const bench::Side& side : {comparison.jobs, comparison.peer, bench::Side{"serial", comparison.serial, 1}}) {
      const std::string_view runtime = side.runtime == "jobs@1" ? "jobs" : side.runtime;
      const std::string name =
          std::string(row.workload) + "/" + std::string(runtime) + "/" + std::to_string(side.workers);
      if (side.measure != nullptr && names.insert(name).second) add(name, side);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
