// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_single: the rows of scripts/bench under Google Benchmark, one benchmark per side of a row:
// WORKLOAD/RUNTIME/W:THREADS. One iteration is one measurement. Contenders measure the time
// themselves, without set-up and warm-up, so the time is in ns per operation. A row in another unit
// has its figure in a counter with the name of the unit; its time is the time of the measurement.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "bench/comparisons.hpp"
#include "bench/machine.hpp"

namespace {

constexpr int kWrongResult = 1;
constexpr int kBadUse = 2;

bool any_wrong = false;

// `figure`: the index of the figure that belongs to `row`.
void measure(benchmark::State& state, const bench::RowSpec& row, std::size_t figure,
             const bench::Side& side) {
  for (auto _ : state) {
    try {
      const double value = bench::measure(row.workload, side, false).at(figure);
      if (row.is_time()) {
        state.SetIterationTime(value * 1e-9);
      } else {
        state.counters[std::string(row.unit)] =
            benchmark::Counter(value, benchmark::Counter::kAvgIterations);
      }
    } catch (const bench::WrongResult& wrong) {
      any_wrong = true;
      state.SkipWithError(wrong.what());
      return;
    }
  }
}

void add(const std::string& name, const bench::RowSpec& row, std::size_t figure,
         const bench::Side& side) {
  auto* const added = benchmark::RegisterBenchmark(
      name.c_str(),
      [&row, figure, side](benchmark::State& state) { measure(state, row, figure, side); });
  added->ArgName("W")->Arg(side.workers)->Iterations(1);
  row.is_time() ? added->UseManualTime() : added->UseRealTime();
}

void add_all() {
  // Rows of one workload share sides.
  std::map<std::string, std::pair<bench::Contender, bench::Form>> known;
  for (const bench::Comparison& comparison : bench::comparisons()) {
    for (std::size_t i = 0; i < comparison.rows.size(); ++i) {
      const bench::RowSpec& row = comparison.rows[i];
      for (const bench::Side& side : {comparison.jobs, comparison.peer, comparison.serial_side()}) {
        if (side.measure == nullptr) continue;
        const std::string name = row.workload + "/" + std::string(side.runtime);
        const std::pair contender(side.measure, side.form);
        const auto [at, is_new] =
            known.try_emplace(name + "/" + std::to_string(side.workers), contender);
        if (is_new) {
          add(name, row, i, side);
        } else if (at->second != contender) {
          std::fprintf(stderr, "bench_single: two contenders are called %s\n", at->first.c_str());
          std::abort();
        }
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Machine machine = bench::this_machine();
  benchmark::AddCustomContext("machine", machine.name);
  benchmark::AddCustomContext("compiler", machine.compiler);
  benchmark::AddCustomContext("peers", machine.peers);
  add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return kBadUse;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return any_wrong ? kWrongResult : 0;
}
