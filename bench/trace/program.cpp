// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// bench_traced, bench_untraced: jobs|frames on|off WORKERS [quick]. Prints the figure of the work
// in ns, recorded or not. Only bench_traced records: BENCH_WITH_TRACE.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/frames/workload.hpp"
#include "bench/support/chain.hpp"
#include "bench/support/statistics.hpp"
#include "bench/trace/workload.hpp"
#include "jobs/jobs.hpp"

#if defined(BENCH_WITH_TRACE)
#include "jobs/trace.hpp"

namespace {
using Recording = jobs::trace::Recording;
}
#else
namespace {
struct Recording {};
}  // namespace
#endif

namespace {

constexpr int kRuns = 9;
constexpr int kWarmUps = 2;
constexpr std::int64_t kSteps = 900;  // 1 us

// Returns ns per job.
double run_jobs() {
  std::atomic<int> ran{0};
  const bench::Stopwatch stopwatch;
  jobs::Counter counter;
  for (int i = 0; i < bench::trace::kJobs; ++i) {
    jobs::spawn(counter, [&ran] {
      bench::opaque(bench::chain(bench::kFirst, kSteps));
      ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  counter.wait();
  const double ns = stopwatch.elapsed_ns();
  bench::expect_equal(bench::trace::kJobs, ran.load());
  return ns / bench::trace::kJobs;
}

double small_jobs(unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers});
  return scheduler.run([] {
    std::vector<double> samples;
    for (int i = -kWarmUps; i < kRuns; ++i) {
      const double sample = run_jobs();
      if (i >= 0) samples.push_back(sample);
    }
    return bench::median(std::move(samples));
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> all(arguments + 1, arguments + count);
  if (all.size() < 3) return 2;
  const auto workers = static_cast<unsigned>(std::atoi(all[2].data()));
  const bench::Conditions conditions{.workers = workers, .quick = all.size() > 3};
  try {
    const auto recording = all[1] == "on" ? std::make_unique<Recording>() : nullptr;
    const double figure = all[0] == bench::trace::kPicture
                              ? bench::frames::on_jobs(conditions).front()
                              : small_jobs(workers);
    std::printf("%.17g\n", figure);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
