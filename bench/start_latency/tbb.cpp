// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// start_latency on oneTBB: probes and links of chains come by task_arena::enqueue(). A link that
// task_group::run() pushes starves enqueued tasks. The arena reserves no place for the probing
// thread.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "bench/start_latency/workload.hpp"

namespace bench::start_latency {
namespace {

class Arenas {
 public:
  // The limit is one more than the threads of an arena, because it counts the probing thread.
  explicit Arenas(unsigned workers)
      : limit_(tbb::global_control::max_allowed_parallelism, workers + 1),
        normal(static_cast<int>(workers), 0),
        high(static_cast<int>(workers), 0, tbb::task_arena::priority::high),
        low(static_cast<int>(workers), 0, tbb::task_arena::priority::low) {}

 private:
  const tbb::global_control limit_;

 public:
  tbb::task_arena normal;
  tbb::task_arena high;
  tbb::task_arena low;
};

template <class Load>
Figures probe(Arenas& arenas) {
  tbb::task_arena& arena = Load::kProbe < Probe::kNormal    ? arenas.high
                           : Load::kProbe == Probe::kNormal ? arenas.normal
                                                            : arenas.low;
  return delays<Load>([&arena](const auto& job) { arena.enqueue(job); });
}

template <class Load>
Figures under_chains(const Conditions& conditions) {
  Arenas arenas(conditions.workers);
  const auto push = [&arenas](const auto& job) { arenas.normal.enqueue(job); };
  Running load;
  load.start_chains<Load>(push);
  Figures figures = probe<Load>(arenas);
  load.stop();
  return figures;
}

template <class Load>
Figures under_loops(const Conditions& conditions) {
  Arenas arenas(conditions.workers);
  Running load;
  const auto loops = [] {
    tbb::parallel_for(0, Load::kOuter, [](int) {
      tbb::parallel_for(0, Load::kInner, [](int) { spin_for(Load::kLength); });
    });
  };
  load.start_loops([&arenas](const auto& job) { arenas.normal.enqueue(job); }, loops);
  Figures figures = probe<Load>(arenas);
  load.stop();
  return figures;
}

}  // namespace

template <class Load>
Figures on_tbb(const Conditions& conditions) {
  if constexpr (requires { Load::kChains; }) {
    return under_chains<Load>(conditions);
  } else {
    return under_loops<Load>(conditions);
  }
}

template Figures on_tbb<Idle>(const Conditions&);
template Figures on_tbb<IdleBusy>(const Conditions&);
template Figures on_tbb<Chains10us>(const Conditions&);
template Figures on_tbb<Chains100us>(const Conditions&);
template Figures on_tbb<Chains1ms>(const Conditions&);
template Figures on_tbb<TwoChains1ms>(const Conditions&);
template Figures on_tbb<Loops>(const Conditions&);
template Figures on_tbb<LoopsCritical>(const Conditions&);
#define BENCH_INSTANTIATE(...) template Figures on_tbb<__VA_ARGS__>(const Conditions&);
BENCH_PRIORITY_LOADS(BENCH_INSTANTIATE)

}  // namespace bench::start_latency
