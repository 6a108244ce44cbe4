// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The programs of the prediction, and their results.
#include "bench/prediction/programs.hpp"

#include <array>
#include <atomic>
#include <cstdint>

#include "bench/algorithms/workload.hpp"
#include "bench/loops/workload.hpp"
#include "bench/support/chain.hpp"
#include "jobs/jobs.hpp"

namespace bench::prediction {
namespace {

// --- the loops of bench/loops --------------------------------------------------------------------

template <class Loop>
void prepare_loop() {
  loops::shared<Loop>().reset();
}
template <class Loop>
void run_loop() {
  jobs::parallel_for(std::int64_t{0}, Loop::kIterations, [](std::int64_t begin, std::int64_t end) {
    loops::shared<Loop>().run(begin, end);
  });
}
template <class Loop>
void check_loop() {
  loops::shared<Loop>().check(1);
}
template <class Loop>
constexpr Program loop(std::string_view name, std::string_view limit, bool is_predictable = true) {
  return {name, limit, &prepare_loop<Loop>, &run_loop<Loop>, &check_loop<Loop>, is_predictable};
}

// --- a sort of bench/algorithms ------------------------------------------------------------------

using Strings = algorithms::SortString;

void prepare_sort() { algorithms::shared<Strings>().reset(); }
void run_sort() { jobs::parallel_sort(algorithms::shared<Strings>().values); }
void check_sort() { algorithms::shared<Strings>().check(); }

// --- the tree, and the serial half ---------------------------------------------------------------

constexpr int kLeaves = 1'000;
constexpr std::int64_t kLeafSteps = 20'000;  // 20 us
constexpr int kJobs = 1'000;

// The leaves that have ended.
std::atomic<int> ended{0};

void run_leaf() {
  opaque(chain(kFirst, kLeafSteps));
  ended.fetch_add(1, std::memory_order_relaxed);
}

// A quarter of the leaves lies below the second branch.
void run_tree(int leaves) {
  if (leaves == 1) return run_leaf();
  const int second = leaves < 4 ? 1 : leaves / 4;
  jobs::fork_join([leaves, second] { run_tree(leaves - second); }, [second] { run_tree(second); });
}
void run_whole_tree() { run_tree(kLeaves); }

void run_serial_half() {
  opaque(chain(kFirst, kLeafSteps * kJobs));
  jobs::Counter counter;
  for (int i = 0; i < kJobs; ++i) jobs::spawn(counter, &run_leaf);
  counter.wait();
}

void forget_leaves() { ended.store(0, std::memory_order_relaxed); }
void check_leaves() { expect_equal(kLeaves, ended.load(std::memory_order_relaxed)); }
static_assert(kLeaves == kJobs);

constexpr std::array kPrograms = {
    loop<loops::Triangular>("triangular", "the end of the loop"),
    loop<loops::HeavyTailed>("heavy_tailed", "iterations of 1.5 ms"),
    loop<loops::Mandelbrot>("mandelbrot", "rows of unequal cost"),
    Program{"sort_string", "the first partitions", &prepare_sort, &run_sort, &check_sort},
    Program{"tree", "the uneven branches", &forget_leaves, &run_whole_tree, &check_leaves},
    Program{"half_serial", "the first half", &forget_leaves, &run_serial_half, &check_leaves},
    loop<loops::Light>("light", "the memory", false),
};

}  // namespace

std::span<const Program> programs() { return kPrograms; }

}  // namespace bench::prediction
