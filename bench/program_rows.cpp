// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of calls as programs make them: short calls from `main`, loops at the rhythm of frames,
// jobs from outside, and more workers than processors.
#include <array>

#include "bench/channel/workload.hpp"
#include "bench/counter_wait/workload.hpp"
#include "bench/fork8/workload.hpp"
#include "bench/frame_loop/workload.hpp"
#include "bench/loops/workload.hpp"
#include "bench/pingpong/workload.hpp"
#include "bench/pipeline/workload.hpp"
#include "bench/rebuilt/workload.hpp"
#include "bench/rows.hpp"
#include "bench/spawn_after/workload.hpp"
#include "bench/start_latency/workload.hpp"
#include "bench/submit/workload.hpp"
#include "bench/tiny_tasks/workload.hpp"
#include "bench/trace/workload.hpp"

namespace bench {
namespace {

template <class Work>
Rows fork8_of(std::string workload, Gate gate) {
  return in_both_forms(against_tbb(std::move(workload), gate, fork8::kCalls, 2,
                                   fork8::on_jobs<Work>, fork8::on_tbb<Work>, fork8::serial<Work>),
                       Gate::reported());
}

// `time` and `cpu` are gates of both forms.
template <class Rhythm>
std::vector<Comparison> frame_loops(std::string workload, Gate time, std::string_view cpu_unit,
                                    Gate cpu, Gate against_bound) {
  using namespace frame_loop;
  const Comparison row = {{{workload, kNs, time}, {workload + "_cpu", cpu_unit, cpu}},
                          Rhythm::kFrames,
                          jobs(on_jobs<Rhythm>, 2),
                          tbb(on_tbb<Rhythm>, 2),
                          nullptr};
  std::vector<Comparison> rows = in_both_forms(row, against_bound).all();
  const auto against = [&row](Side peer, Gate gate) {
    Comparison other = external(row);
    other.peer = peer;
    other.rows[0].gate = gate;
    other.rows[1].gate = Gate::reported();
    return other;
  };
  // Never slower than one thread.
  rows.push_back(against({"serial", frame_loop::serial<Rhythm>, 1}, Gate::faster(1)));
  if (const Contender libgomp = on_libgomp<Rhythm>())
    rows.push_back(against({"libgomp", libgomp, 2}, Gate::reported()));
  return rows;
}

// Two workers are never slower than one, and no run is much slower than the other runs.
std::vector<Comparison> tiny_tasks_rows() {
  const auto against = [](Side peer, Gate gate, Gate spread, Contender serial) {
    return Comparison{{{"tiny_tasks", kNs, gate}, {"tiny_tasks_spread", "x", spread}},
                      tiny_tasks::kJobs,
                      named_jobs(tiny_tasks::on_jobs, 2),
                      peer,
                      serial};
  };
  Side one = one_jobs_worker(tiny_tasks::on_jobs);
  one.form = Form::kNamed;
  return {
      against(tbb(tiny_tasks::on_tbb, 2), Gate::reported(), Gate::at_most(1.3), tiny_tasks::serial),
      against(one, Gate::faster(1), Gate::reported(), nullptr)};
}

// The names say that the work runs as a job of a scheduler that the program names, so that the
// number of workers is free.
constexpr std::array kWorkers = {2u, 4u, 8u, 16u};

template <class Loop>
void add_loop(std::vector<Comparison>& rows, std::string workload, unsigned workers) {
  rows.push_back({{{std::move(workload), kNs, Gate::faster(0.95)}},
                  Loop::kPasses,
                  named_jobs(loops::on_jobs<Loop>, workers),
                  tbb(loops::on_tbb<Loop>, workers),
                  nullptr});
}

std::vector<Comparison> oversubscribed_rows() {
  std::vector<Comparison> rows;
  for (const unsigned workers : kWorkers) {
    add_loop<loops::OneMicrosecond>(rows, "for_1us_named", workers);
    add_loop<loops::Triangular>(rows, "for_triangular_named", workers);
    add_loop<loops::Mandelbrot>(rows, "mandelbrot_named", workers);
    rows.push_back({{{"pipeline_token_named", kNs, Gate::faster(0.95)}},
                    pipeline::kTokens,
                    named_jobs(pipeline::token_on_jobs, workers),
                    tbb(pipeline::token_on_tbb, workers),
                    nullptr});
    rows.push_back({{{"pingpong_remote_named", kNs, Gate::at_most(1'000)}},
                    2 * pingpong::kRemoteRounds,
                    named_jobs(pingpong::remote_on_jobs, workers),
                    boost_fiber(pingpong::remote_on_boost_fiber, workers),
                    nullptr});
    rows.push_back({{{"channel_named", kNs, Gate::at_most(1'000)}},
                    channel::kChannels * channel::kFewItems,
                    named_jobs(channel::few_on_jobs, workers),
                    boost_fiber(channel::few_on_boost_fiber, workers),
                    nullptr});
  }
  for (Comparison& row : rows) row.is_quick = row.jobs.workers == kWorkers.back();
  return rows;
}

// Per job: 240 ns are 15 ms per grid.
std::vector<Comparison> spawn_after_rows() {
  const Comparison row =
      against_tbb("spawn_after", Gate::at_most(240), spawn_after::kOperations, 2,
                  spawn_after::on_jobs, spawn_after::on_tbb, spawn_after::serial);
  std::vector<Comparison> rows = in_both_forms(row, Gate::reported()).all();
  Comparison events = external(row);
  events.peer = {"events", spawn_after::by_events, 2};
  events.rows[0].gate = Gate::faster(1);
  rows.push_back(events);
  return rows;
}

Comparison submit_row(std::string form, Side side) {
  return {{{"submit" + form, kNs, Gate::at_most(6'000)},
           {"submit_idle" + form, kNs, Gate::at_most(6'000)}},
          submit::kJobs,
          side,
          tbb(submit::on_tbb, 2),
          nullptr};
}

// No figure exceeds 1.2 times the one of oneTBB.
template <class Load>
Comparison start_latency_row(const std::string& load, const Gate& gate = Gate::faster(1 / 1.2)) {
  const std::string workload = (Load::kMayStarve ? "priority_latency_" : "start_latency_") + load;
  return {{{workload + "_p50", kNs, gate},
           {workload + "_p99", kNs, gate},
           {workload + "_max", kNs, gate}},
          1,
          named_jobs(start_latency::on_jobs<Load>, 2),
          tbb(start_latency::on_tbb<Load>, 2),
          nullptr};
}

std::vector<Comparison> start_latency_rows() {
  return {start_latency_row<start_latency::Idle>("idle"),
          start_latency_row<start_latency::IdleBusy>("idle_busy"),
          start_latency_row<start_latency::Chains10us>("64_chains_10us"),
          start_latency_row<start_latency::Chains100us>("64_chains_100us"),
          start_latency_row<start_latency::Chains1ms>("64_chains_1ms"),
          start_latency_row<start_latency::TwoChains1ms>("2_chains_1ms"),
          start_latency_row<start_latency::Loops>("loops"),
          start_latency_row<start_latency::LoopsCritical>("loops_critical")};
}

// The time to the start of a job of each priority, beside normal chains and beside nested loops.
// Lower jobs have no gate: their delay is chosen, and the one of oneTBB is without a bound.
std::vector<Comparison> priority_latency_rows() {
  using start_latency::Flood, start_latency::FloodOfLoops, start_latency::Probe;
  const Gate none = Gate::reported();
  return {start_latency_row<Flood<Probe::kCritical>>("jobs_critical"),
          start_latency_row<Flood<Probe::kHigh>>("jobs_high"),
          start_latency_row<Flood<Probe::kNormal>>("jobs_normal"),
          start_latency_row<Flood<Probe::kLow>>("jobs_low", none),
          start_latency_row<Flood<Probe::kBackground>>("jobs_background", none),
          start_latency_row<FloodOfLoops<Probe::kCritical>>("loops_critical"),
          start_latency_row<FloodOfLoops<Probe::kHigh>>("loops_high"),
          start_latency_row<FloodOfLoops<Probe::kNormal>>("loops_normal"),
          start_latency_row<FloodOfLoops<Probe::kLow>>("loops_low", none),
          start_latency_row<FloodOfLoops<Probe::kBackground>>("loops_background", none)};
}

// Each side is a program of its own.
std::vector<Comparison> trace_rows() {
  const auto row = [](std::string workload, Gate gate, std::int64_t operations, Side measured,
                      Contender peer) {
    return Comparison{{{std::move(workload), kNs, gate}},
                      operations,
                      measured,
                      {"no trace", peer, measured.workers},
                      nullptr};
  };
  return {row("trace_off", Gate::reported(), trace::kJobs, named_jobs(trace::linked, 2),
              trace::not_linked),
          row("trace_on", Gate::faster(1 / 1.15), trace::kJobs, named_jobs(trace::recorded, 2),
              trace::not_linked),
          row("trace_on_frames", Gate::faster(1 / 1.03), 1, jobs(trace::frames_recorded, 2),
              trace::frames_not_linked)};
}

}  // namespace

std::vector<Rows> program_rows() {
  return {
      fork8_of<fork8::Short>("fork8_1us", Gate::faster(1)),
      fork8_of<fork8::Empty>("fork8_empty", Gate::at_most(250)),
      in_both_forms(against_tbb("graph_rebuilt", Gate::faster(1), rebuilt::kGraphs, 2,
                                rebuilt::on_jobs, rebuilt::on_tbb, rebuilt::serial)),
      in_both_forms(against_tbb("counter_wait", Gate::reported(), counter_wait::kSteps, 2,
                                counter_wait::on_jobs, counter_wait::on_tbb, counter_wait::serial),
                    Gate::faster(0.83)),
      frame_loops<frame_loop::Short>("frame_loop", Gate::at_most(45'000), "cores",
                                     Gate::at_most(1.6), as_fast_as_bound()),
      frame_loops<frame_loop::Small>("small_loops", Gate::at_most(9'000), "cores", Gate::reported(),
                                     Gate::reported()),
      frame_loops<frame_loop::SixtyHertz>("frame_60hz", Gate::at_most(4e6), kNs,
                                          Gate::at_most(8.5e6), as_fast_as_bound()),
      spawn_after_rows(),
      tiny_tasks_rows(),
      submit_row("", named_jobs(submit::on_jobs, 2)),
      submit_row("_default", external_jobs(submit::on_default_jobs, 2)),
      start_latency_rows(),
      priority_latency_rows(),
      oversubscribed_rows(),
      trace_rows(),
  };
}

}  // namespace bench
