// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// raid by jobs::spawn() from a private deque.
#include "jobs/jobs.hpp"
#include "bench/raid/workload.hpp"
#include "bench/support/statistics.hpp"

namespace bench::raid {
namespace {

// A public deque becomes private again after 64 takes without a theft.
void hide() {
  for (int i = 0; i < 80; ++i) jobs::fork_join([] {}, [] {});
}

}  // namespace

Samples samples_of_jobs(std::size_t count) {
  jobs::Scheduler scheduler({.worker_count = 2, .bind_caller = true});
  Relay relay(count);
  return scheduler.run([&] {
    jobs::Counter done;
    const jobs::Stats before = scheduler.stats();
    std::vector<Sample> samples = take_samples(relay, count, [&done](auto job) {
      hide();
      jobs::spawn(done, job);
    });
    const jobs::Stats after = scheduler.stats();
    done.wait();
    relay.check();
    return Samples{std::move(samples), after.forced_publications - before.forced_publications,
                   after.parks - before.parks};
  });
}

Figures on_jobs(const Conditions&) {
  const std::vector<double> latencies = undisturbed(samples_of_jobs(kSamples).all);
  return {quantile(latencies, 0.5), quantile(latencies, 0.999)};
}

}  // namespace bench::raid
