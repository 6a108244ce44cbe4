// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// start_latency by Scheduler::spawn(). A link of a chain goes to the deque of its worker.
#include "jobs/jobs.hpp"

#include "bench/start_latency/workload.hpp"

namespace bench::start_latency {
namespace {

static_assert(static_cast<int>(Probe::kCritical) == static_cast<int>(jobs::Priority::kCritical) &&
              static_cast<int>(Probe::kBackground) ==
                  static_cast<int>(jobs::Priority::kBackground));

template <class Load>
Figures probe(jobs::Scheduler& scheduler) {
  const jobs::SpawnOptions options{.priority = static_cast<jobs::Priority>(Load::kProbe)};
  return delays<Load>([&scheduler, options](const auto& job) { scheduler.spawn(job, options); });
}

template <class Load>
Figures under_chains(const Conditions& conditions) {
  jobs::Scheduler scheduler({.worker_count = conditions.workers});
  const auto push = [&scheduler](const auto& job) { scheduler.spawn(job); };
  Running load;
  load.start_chains<Load>(push);
  Figures figures = probe<Load>(scheduler);
  load.stop();
  return figures;
}

template <class Load>
Figures under_loops(const Conditions& conditions) {
  jobs::Scheduler scheduler({.worker_count = conditions.workers});
  Running load;
  const auto loops = [] {
    jobs::parallel_for(0, Load::kOuter, [](int) {
      jobs::parallel_for(0, Load::kInner, [](int) { spin_for(Load::kLength); });
    });
  };
  load.start_loops([&scheduler](const auto& job) { scheduler.spawn(job); }, loops);
  Figures figures = probe<Load>(scheduler);
  load.stop();
  return figures;
}

}  // namespace

template <class Load>
Figures on_jobs(const Conditions& conditions) {
  if constexpr (requires { Load::kChains; }) {
    return under_chains<Load>(conditions);
  } else {
    return under_loops<Load>(conditions);
  }
}

template Figures on_jobs<Idle>(const Conditions&);
template Figures on_jobs<IdleBusy>(const Conditions&);
template Figures on_jobs<Chains10us>(const Conditions&);
template Figures on_jobs<Chains100us>(const Conditions&);
template Figures on_jobs<Chains1ms>(const Conditions&);
template Figures on_jobs<TwoChains1ms>(const Conditions&);
template Figures on_jobs<Loops>(const Conditions&);
template Figures on_jobs<LoopsCritical>(const Conditions&);
#define BENCH_INSTANTIATE(...) template Figures on_jobs<__VA_ARGS__>(const Conditions&);
BENCH_PRIORITY_LOADS(BENCH_INSTANTIATE)

}  // namespace bench::start_latency
