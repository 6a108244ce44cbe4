// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The table of all comparisons and gates; comparisons.hpp has the types.
#include "bench/comparisons.hpp"

#include "bench/algorithms/workload.hpp"
#include "bench/allocate/workload.hpp"
#include "bench/blocked_100k/workload.hpp"
#include "bench/channel/workload.hpp"
#include "bench/create_cold/workload.hpp"
#include "bench/create_join/workload.hpp"
#include "bench/eigen/workload.hpp"
#include "bench/engine/workload.hpp"
#include "bench/fib/workload.hpp"
#include "bench/for_empty/workload.hpp"
#include "bench/frames/workload.hpp"
#include "bench/graph/workload.hpp"
#include "bench/idle/workload.hpp"
#include "bench/loops/workload.hpp"
#include "bench/mutex/workload.hpp"
#include "bench/nqueens/workload.hpp"
#include "bench/ode/workload.hpp"
#include "bench/opencv/workload.hpp"
#include "bench/pingpong/workload.hpp"
#include "bench/pipeline/workload.hpp"
#include "bench/raid/workload.hpp"
#include "bench/reduce/workload.hpp"
#include "bench/rows.hpp"
#include "bench/sleep_storm/workload.hpp"
#include "bench/spawn/workload.hpp"
#include "bench/start_stop/workload.hpp"
#include "bench/switch/workload.hpp"
#include "bench/timers/workload.hpp"
#include "bench/trees/workload.hpp"
#include "bench/wake/workload.hpp"

namespace bench {
namespace {

// The limit depends on the switch that the library was built with.
#if defined(JOBS_BOOST_CONTEXT)
constexpr double kSwitch = 5;
#else
constexpr double kSwitch = 1.5;
#endif

Side fcontext(Contender measure) { return {"fcontext", measure, 1}; }

template <class Loop>
Rows loop(std::string workload) {
  return in_both_forms(against_tbb(workload, Gate::tie(), Loop::kPasses, 2, loops::on_jobs<Loop>,
                                   loops::on_tbb<Loop>, loops::serial<Loop>));
}

// The same, compared with one thread without a runtime. The gate is 0.98 of the best result of two
// threads.
template <class Loop>
Comparison loop_against_serial(std::string workload) {
  return external({{{workload, kNs, Gate::faster(1.96)}},
                   Loop::kPasses,
                   jobs(loops::on_jobs<Loop>, 2),
                   {"serial", loops::serial<Loop>, 1},
                   nullptr});
}

// The operations are nodes; the workload divides by their number.
template <class Tree>
Rows tree(std::string workload) {
  return in_both_forms(against_tbb(workload, Gate::reported(), Tree::kNodes, 2,
                                   trees::on_jobs<Tree>, trees::on_tbb<Tree>, trees::serial<Tree>));
}

template <std::int64_t kIterations>
Rows empty_loop(std::string workload, Gate gate) {
  return in_both_forms(
      against_tbb(workload, gate, for_empty::kCalls, 2, for_empty::on_jobs<kIterations>,
                  for_empty::on_tbb<kIterations>, for_empty::serial<kIterations>),
      Gate::reported());
}

template <graph::Shape kShape>
Rows graph_of(std::string workload, Gate gate) {
  return in_both_forms(against_tbb(workload, gate, graph::kOperations, 2, graph::on_jobs<kShape>,
                                   graph::on_tbb<kShape>, graph::serial<kShape>));
}

template <graph::Shape kShape>
Rows graph_once_of(std::string workload, Gate gate) {
  return in_both_forms(against_tbb(workload, gate, graph::kOperations, 2,
                                   graph::once_on_jobs<kShape>, graph::once_on_tbb<kShape>,
                                   graph::serial<kShape>));
}

template <class Algorithm>
Rows algorithm(std::string workload, Gate gate) {
  return in_both_forms(against_tbb(workload, gate, 1, 2, algorithms::on_jobs<Algorithm>,
                                   algorithms::on_tbb<Algorithm>, algorithms::serial<Algorithm>));
}
template <class Algorithm>
Comparison against_std(std::string workload, Gate gate, Contender serial) {
  return {{{workload, kNs, gate}},
          1,
          jobs(algorithms::on_jobs<Algorithm>, 2),
          {"std par", algorithms::on_std<Algorithm>, 2},
          serial};
}
// For a workload without a oneTBB row.
template <class Algorithm>
Rows algorithm_against_std(std::string workload, Gate gate = Gate::reported()) {
  return in_both_forms(against_std<Algorithm>(workload, gate, algorithms::serial<Algorithm>));
}
// A second peer; the row above has the other form and the serial side.
template <class Algorithm>
Comparison algorithm_also_against_std(std::string workload, Gate gate = Gate::reported()) {
  return external(against_std<Algorithm>(workload, gate, nullptr));
}

// The same calls of the standard library on both sides, with different back-ends.
template <class Algorithm>
Comparison back_ends_of_std(std::string workload) {
  return external({{{std::move(workload), kNs, Gate::reported()}},
                   1,
                   jobs(algorithms::on_pstl<Algorithm>, 2),
                   {"std par", algorithms::on_std<Algorithm>, 2},
                   algorithms::serial<Algorithm>});
}

// A library on jobs and on its own back-end.
Comparison back_ends_of(std::string workload, std::string_view peer, Contender on_jobs,
                        Contender on_peer, Contender serial) {
  return external({{{std::move(workload), kNs, Gate::reported()}},
                   1,
                   jobs(on_jobs, 2),
                   {peer, on_peer, 2},
                   serial});
}

template <switching::FpFlags kFlags>
Comparison switches(std::string workload) {
  return {{{workload, kNs, Gate::at_most(kSwitch)}},
          switching::kSwitches,
          jobs(switching::on_jobs<kFlags>, 1),
          fcontext(switching::on_fcontext<kFlags>),
          nullptr};
}

template <std::int64_t kArmed>
Comparison timer_pairs(std::string workload, Gate gate) {
  return {{{workload, kNs, gate}},
          timers::kPairs,
          jobs(timers::on_jobs<kArmed>, 1),
          {"tree", timers::on_tree<kArmed>, 1},
          nullptr};
}

// Blocks that the allocating worker frees, or the other one.
template <class Blocks, allocate::FreedBy kBy>
std::vector<Comparison> allocation(std::string workload) {
  const auto against = [workload](std::string_view peer, Contender measure) {
    return Comparison{{{workload, kNs, Gate::reported()}},
                      Blocks::kOperations,
                      jobs(allocate::on_jobs<Blocks, kBy>, 2),
                      {peer, measure, 2},
                      nullptr};
  };
  std::vector<Comparison> rows = {against("malloc", allocate::on_malloc<Blocks, kBy>)};
  if constexpr (Blocks::kHasPool)
    rows.push_back(against("std pool", allocate::on_std_pool<Blocks, kBy>));
  if (allocate::has_mimalloc())
    rows.push_back(against("mimalloc", allocate::on_mimalloc<Blocks, kBy>));
  return rows;
}

// The rows of the table, those of program_rows.cpp, and those of the allocations.
std::vector<Comparison> all_rows(const std::vector<Rows>& table) {
  std::vector<Comparison> rows;
  for (const Rows& some : table) rows.insert(rows.end(), some.all().begin(), some.all().end());
  for (const Rows& some : program_rows())
    rows.insert(rows.end(), some.all().begin(), some.all().end());
  for (const auto& some :
       {allocation<allocate::Small, allocate::FreedBy::kOwner>("allocate"),
        allocation<allocate::Small, allocate::FreedBy::kOther>("allocate_afar"),
        allocation<allocate::Large, allocate::FreedBy::kOwner>("allocate_large"),
        allocation<allocate::Large, allocate::FreedBy::kOther>("allocate_large_afar")}) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return rows;
}

}  // namespace

const std::vector<Comparison>& comparisons() {
  static const std::vector<Comparison> all = all_rows({
      against_tbb("fib", Gate::faster(20), fib::kCalls, 1, fib::on_jobs, fib::on_tbb, fib::serial),
      in_both_forms(against_tbb("fib", Gate::reported(), fib::kCalls, 2, fib::on_jobs, fib::on_tbb,
                                fib::serial)),
      external({{{"fib", kNs, Gate::faster(1.95)}},
                fib::kCalls,
                jobs(fib::on_jobs, 2),
                one_jobs_worker(fib::on_jobs),
                nullptr}),
      against_tbb("fib_context", Gate::at_most(1.2), fib::kCalls, 1, fib::on_jobs_with_context,
                  fib::on_tbb, fib::serial),
      in_both_forms(against_tbb("nqueens", Gate::faster(1.1), nqueens::kPlacements, 2,
                                nqueens::on_jobs, nqueens::on_tbb, nqueens::serial)),
      tree<trees::Integrate>("integrate"),
      tree<trees::Uts>("uts"),
      tree<trees::Skynet>("skynet"),
      loop<loops::Light>("for_light"),
      loop_against_serial<loops::Light>("for_light"),
      loop<loops::OneMicrosecond>("for_1us"),
      loop_against_serial<loops::OneMicrosecond>("for_1us"),
      loop<loops::Triangular>("for_triangular"),
      loop_against_serial<loops::Triangular>("for_triangular"),
      loop<loops::HeavyTailed>("for_heavy"),
      loop_against_serial<loops::HeavyTailed>("for_heavy"),
      loop<loops::Mandelbrot>("mandelbrot"),
      loop_against_serial<loops::Mandelbrot>("mandelbrot"),
      empty_loop<2>("for_empty_2", Gate::at_most(60)),
      empty_loop<64>("for_empty_64", Gate::at_most(120)),
      empty_loop<1000>("for_empty_1000", Gate::faster(4)),
      in_both_forms(against_tbb("reduce", Gate::tie(), reduce::kPasses, 2, reduce::on_jobs,
                                reduce::on_tbb, reduce::serial)),
      algorithm_against_std<algorithms::Reduce>("reduce_range", Gate::faster(0.9)),
      algorithm<algorithms::Scan>("scan", Gate::tie()),
      algorithm_also_against_std<algorithms::Scan>("scan", Gate::faster(0.9)),
      algorithm<algorithms::SortInt>("sort_int", Gate::faster(1.6)),
      algorithm_also_against_std<algorithms::SortInt>("sort_int"),
      algorithm<algorithms::SortString>("sort_string", Gate::faster(1.2)),
      algorithm_also_against_std<algorithms::SortString>("sort_string"),
      algorithm_against_std<algorithms::StableSort>("stable_sort"),
      algorithm_against_std<algorithms::TransformReduce>("transform_reduce"),
      algorithm_against_std<algorithms::ExclusiveScan>("exclusive_scan"),
      algorithm_against_std<algorithms::Merge>("merge"),
      algorithm_against_std<algorithms::NthElement>("nth_element"),
      algorithm_against_std<algorithms::Partition>("partition"),
      algorithm_against_std<algorithms::CopyIf>("copy_if"),
      algorithm_against_std<algorithms::Unique>("unique"),
      algorithm_against_std<algorithms::RemoveIf>("remove_if"),
      algorithm_against_std<algorithms::FindIf>("find"),
      algorithm_against_std<algorithms::MinMax>("minmax_element"),
      algorithm_against_std<algorithms::Transform>("transform"),
      algorithm_against_std<algorithms::ForEachN>("for_each_n"),
      back_ends_of_std<algorithms::SortInt>("pstl_sort"),
      back_ends_of_std<algorithms::StableSort>("pstl_stable_sort"),
      back_ends_of_std<algorithms::Reduce>("pstl_reduce"),
      back_ends_of_std<algorithms::Scan>("pstl_scan"),
      back_ends_of_std<algorithms::Merge>("pstl_merge"),
      back_ends_of_std<algorithms::Transform>("pstl_transform"),
      back_ends_of("eigen_contract", "Eigen pool", eigen::contract_on_jobs,
                   eigen::contract_on_eigen_pool, eigen::contract_serial),
      back_ends_of("eigen_map", "Eigen pool", eigen::map_on_jobs, eigen::map_on_eigen_pool,
                   eigen::map_serial),
      back_ends_of("opencv_pixels", "OpenCV", opencv::on_jobs, opencv::on_opencv, opencv::serial),
      against_tbb("spawn", Gate::at_most(20), spawn::kJobs, 1, spawn::on_jobs, spawn::on_tbb,
                  spawn::serial),
      against_tbb("spawn", Gate::at_most(40), spawn::kJobs, 2, spawn::on_jobs, spawn::on_tbb,
                  spawn::serial),
      against_tbb("wake_hot", Gate::at_most(450), wake::kHotWakes, 2, wake::hot_on_jobs,
                  wake::hot_on_tbb, nullptr),
      against_tbb("wake_idle", Gate::at_most(130'000), wake::kIdleLoops, 2, wake::idle_on_jobs,
                  wake::idle_on_tbb, wake::idle_serial),
      against_tbb("wake_idle_hot", Gate::at_most(90'000), wake::kIdleLoops, 2,
                  wake::idle_hot_on_jobs, wake::idle_on_tbb, wake::idle_serial),
      Comparison{{{"raid", kNs, Gate::at_most(80'000)}, {"raid_p999", kNs, Gate::reported()}},
                 1,
                 jobs(raid::on_jobs, 2),
                 tbb(raid::on_tbb, 2),
                 nullptr},
      switches<switching::FpFlags::kEqual>("switch"),
      switches<switching::FpFlags::kDiffering>("switch_fp"),
      Comparison{{{"pingpong_local", kNs, Gate::at_most(15)}},
                 2 * pingpong::kLocalRounds,
                 jobs(pingpong::local_on_jobs, 1),
                 boost_fiber(pingpong::local_on_boost_fiber, 1),
                 nullptr},
      Comparison{{{"pingpong_remote", kNs, Gate::at_most(500)}},
                 2 * pingpong::kRemoteRounds,
                 jobs(pingpong::remote_on_jobs, 2),
                 boost_fiber(pingpong::remote_on_boost_fiber, 2),
                 nullptr},
      Comparison{{{"mutex", kNs, Gate::at_most(11)}},
                 mutex::kLocks,
                 jobs(mutex::uncontended_on_jobs, 1),
                 std_threads(mutex::uncontended_on_std, 1),
                 nullptr},
      Comparison{{{"mutex_16", kNs, Gate::at_most(22)}},
                 mutex::kParties * mutex::kLocksEach,
                 jobs(mutex::shared_on_jobs, 2),
                 std_threads(mutex::shared_on_std, 2),
                 nullptr},
      Comparison{{{"channel", kNs, Gate::faster(3)}},
                 channel::kItems,
                 jobs(channel::on_jobs, 1),
                 boost_fiber(channel::on_boost_fiber, 1),
                 nullptr},
      Comparison{{{"create_join", kNs, Gate::at_most(45)}},
                 create_join::kFibers,
                 jobs(create_join::on_jobs, 1),
                 boost_fiber(create_join::on_boost_fiber, 1),
                 nullptr},
      Comparison{{{"create_cold", kNs, Gate::faster(0.67)}},
                 create_cold::kFibers,
                 jobs(create_cold::on_jobs, 1),
                 {"page fault", create_cold::page_faults, 1},
                 nullptr},
      Comparison{{{"create_cold", kNs, Gate::faster(1)}},
                 create_cold::kFibers,
                 jobs(create_cold::on_jobs, 1),
                 boost_fiber(create_cold::on_boost_fiber, 1),
                 nullptr},
      Comparison{{{"create_cold", kNs, Gate::faster(4)}},
                 create_cold::kFibers,
                 jobs(create_cold::on_jobs, 1),
                 std_threads(create_cold::on_threads, 1),
                 nullptr},
      Comparison{{{"blocked_100k", kNs, Gate::at_most(2'000)},
                  {"blocked_100k_memory", "KiB", Gate::at_most(4.3)}},
                 blocked_100k::kFibers,
                 jobs(blocked_100k::on_jobs, 1),
                 boost_fiber(blocked_100k::on_boost_fiber, 1),
                 nullptr},
      timer_pairs<0>("timers_0", Gate::reported()),
      timer_pairs<1'000'000>("timers_1m", Gate::faster(2)),
      Comparison{
          {{"sleep_storm_p50", kNs, Gate::reported()}, {"sleep_storm_p99", kNs, Gate::reported()}},
          sleep_storm::kFibers,
          jobs(sleep_storm::on_jobs, 1),
          boost_fiber(sleep_storm::on_boost_fiber, 1),
          nullptr},
      graph_of<graph::Shape::kChain>("graph_chain", Gate::faster(3)),
      graph_of<graph::Shape::kFan>("graph_fan", Gate::faster(4)),
      graph_of<graph::Shape::kWavefront>("graph_wavefront", Gate::faster(3)),
      graph_of<graph::Shape::kRandom>("graph_random", Gate::faster(2)),
      graph_once_of<graph::Shape::kChain>("graph_once_chain", Gate::reported()),
      graph_once_of<graph::Shape::kFan>("graph_once_fan", Gate::reported()),
      graph_once_of<graph::Shape::kWavefront>("graph_once_wavefront", Gate::reported()),
      graph_once_of<graph::Shape::kRandom>("graph_once_random", Gate::reported()),
      in_both_forms(against_tbb("pipeline", Gate::faster(3), pipeline::kTokens, 2,
                                pipeline::on_jobs, pipeline::on_tbb, nullptr),
                    Gate::reported()),
      in_both_forms(against_tbb("pipeline_token", Gate::tie(), pipeline::kTokens, 2,
                                pipeline::token_on_jobs, pipeline::token_on_tbb, nullptr)),
      against_tbb("start_stop", Gate::at_most(60'000), start_stop::kCycles, 2, start_stop::on_jobs,
                  start_stop::on_tbb, nullptr),
      in_both_forms(against_tbb("frames", Gate::faster(1), 1, 2, frames::on_jobs, frames::on_tbb,
                                frames::serial)),
      Comparison{{{"engine_frames_p50", kNs, Gate::reported()},
                  {"engine_frames_p99", kNs, Gate::reported()}},
                 1,
                 jobs(engine::on_jobs, 2),
                 tbb(engine::on_tbb, 2),
                 engine::serial},
      Comparison{{{"idle", "% CPU", Gate::at_most(0.01)},
                  {"idle_switches", "switches/s", Gate::at_most(0)}},
                 1,
                 jobs(idle::on_jobs, 2),
                 tbb(idle::on_tbb, 2),
                 nullptr},
      Comparison{{{"ode", kNs, Gate::faster(4)}},
                 1,
                 jobs(ode::on_jobs, 2),
                 {"ODE pool", ode::on_ode_pool, 2},
                 ode::serial},
  });
  return all;
}

std::vector<Comparison> comparisons_with(unsigned workers) {
  std::vector<Comparison> all = comparisons();
  for (Comparison& comparison : all) {
    if (comparison.rows.front().workload.ends_with("_named")) continue;  // has rows of 2 to 16
    for (Side* const side : {&comparison.jobs, &comparison.peer}) {
      if (side->workers == 2) side->workers = workers;
    }
  }
  return all;
}

}  // namespace bench
