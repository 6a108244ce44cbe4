// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// jobs::tbb: loops, groups and arenas of this library with containers, mutexes and flow graphs of
// oneTBB, in one source file. A container comes first, so that its own includes of oneTBB precede
// those of the program.
#include <oneapi/tbb/detail/_config.h>
#include <tbb/concurrent_hash_map.h>

#include <gtest/gtest.h>
#include <oneapi/tbb/parallel_for.h>
#include <tbb/tbb.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <execution>
#include <functional>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/interop/hybrid_test.hpp"

namespace {

static_assert(std::is_same_v<tbb::task_group, jobs::tbb::task_group>);
static_assert(std::is_same_v<oneapi::tbb::task_arena, jobs::tbb::task_arena>);
static_assert(std::is_same_v<tbb::blocked_range<int>, jobs::tbb::blocked_range<int>>);
static_assert(std::is_same_v<tbb::spin_mutex, tbb::detail::d1::spin_mutex>);
static_assert(TBB_VERSION_MAJOR >= 2021);

TEST(Hybrid, LoopsFillContainersOfOneTbb) {
  using Map = tbb::concurrent_hash_map<int, int>;
  Map squares;
  tbb::concurrent_vector<int> odd;
  tbb::concurrent_queue<int> queue;
  tbb::concurrent_unordered_map<int, int> unordered;
  tbb::concurrent_set<int> ordered;
  tbb::spin_mutex mutex;
  int sum = 0;
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000), [&](const tbb::blocked_range<int>& range) {
    for (int i = range.begin(); i != range.end(); ++i) {
      Map::accessor place;
      squares.insert(place, i % 100);
      place->second += i;
      if (i % 2 == 1) odd.push_back(i);
      queue.push(i);
      unordered.emplace(i, i);
      ordered.insert(i / 2);
      const tbb::spin_mutex::scoped_lock lock(mutex);
      sum += i;
    }
  });
  EXPECT_EQ(sum, 499'500);
  EXPECT_EQ(squares.size(), 100u);
  EXPECT_EQ(odd.size(), 500u);
  EXPECT_EQ(queue.unsafe_size(), 1000u);
  EXPECT_EQ(unordered.size(), 1000u);
  EXPECT_EQ(ordered.size(), 500u);

  // Ranges of containers have the tag of oneTBB.
  std::atomic<int> values{0};
  const auto add = [&](const auto& part) {
    for (const auto& [key, value] : part) values += value;
  };
  tbb::parallel_for(squares.range(), add);
  EXPECT_EQ(values, 499'500);
  tbb::parallel_for(unordered.range(), add, tbb::simple_partitioner());
  EXPECT_EQ(values, 2 * 499'500);
  const int total = tbb::parallel_reduce(
      odd.range(), 0,
      [](const auto& part, int start) { return std::accumulate(part.begin(), part.end(), start); },
      std::plus<>());
  EXPECT_EQ(total, 250'000);
  std::atomic<int> items{0};
  tbb::parallel_for_each(ordered, [&](int) { ++items; });
  tbb::parallel_for_each(odd.begin(), odd.end(), [](int& i) { i = 1; });
  EXPECT_EQ(items, 500);
  EXPECT_EQ(std::accumulate(odd.begin(), odd.end(), 0), 500);
  tbb::parallel_sort(odd.begin(), odd.end());
}

TEST(Hybrid, FlowGraphsCallLoops) {
  namespace flow = tbb::flow;
  flow::graph graph;
  std::atomic<int> sum{0};
  flow::function_node<int, int> squares(graph, flow::unlimited, [&](int n) {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(0, n), 0,
        [](const tbb::blocked_range<int>& part, int start) {
          return start + static_cast<int>(part.size());
        },
        std::plus<>());
  });
  flow::function_node<int> total(graph, flow::serial, [&](int n) {
    sum += n;
    return flow::continue_msg();
  });
  flow::make_edge(squares, total);
  // A job starts the graph, and waits for it.
  tbb::task_group group;
  group.run([&] {
    for (int n = 0; n < 100; ++n) squares.try_put(n);
    graph.wait_for_all();
  });
  group.wait();
  EXPECT_EQ(sum, 4950);
}

// Both take the same class.
TEST(Hybrid, PipelinesAndGraphsEndTheirInput) {
  int next = 0;
  const auto input = [&next](tbb::flow_control& control) {
    if (next == 10) {
      control.stop();
      return 0;
    }
    return next++;
  };
  int sum = 0;
  const auto add = [&sum](int i) { sum += i; };
  tbb::parallel_pipeline(4, tbb::make_filter(tbb::filter_mode::serial_in_order, input),
                         tbb::make_filter(tbb::filter_mode::serial_in_order, add));
  EXPECT_EQ(sum, 45);
  next = 0;
  tbb::flow::graph graph;
  tbb::flow::input_node<int> source(graph, input);
  tbb::flow::function_node<int> sink(graph, tbb::flow::serial, [&](int i) {
    sum += i;
    return tbb::flow::continue_msg();
  });
  tbb::flow::make_edge(source, sink);
  source.activate();
  graph.wait_for_all();
  EXPECT_EQ(sum, 90);
}

// Splits by the tag that users name, as do the bodies.
struct Interval {
  int first, last;
  Interval(int from, int to) : first(from), last(to) {}
  Interval(Interval& whole, tbb::split) : first((whole.first + whole.last) / 2), last(whole.last) {
    whole.last = first;
  }
  bool empty() const { return first == last; }
  bool is_divisible() const { return last - first > 1; }
};
class Tiles : public tbb::blocked_range<int> {
 public:
  Tiles(int from, int to) : tbb::blocked_range<int>(from, to) {}
  Tiles(Tiles& whole, tbb::split tag) : tbb::blocked_range<int>(whole, tag) {}
};
struct Sum {
  int value = 0;
  Sum() = default;
  Sum(Sum&, tbb::split) {}
  void operator()(const Interval& part) { value += part.last - part.first; }
  void join(const Sum& right) { value += right.value; }
};

TEST(Hybrid, RangesAndBodiesOfUsersSplit) {
  Sum sum;
  tbb::parallel_reduce(Interval(0, 100), sum);
  EXPECT_EQ(sum.value, 100);
  tbb::parallel_deterministic_reduce(Interval(0, 100), sum);
  EXPECT_EQ(sum.value, 200);
  std::atomic<int> count{0};
  tbb::parallel_for(Tiles(0, 100),
                    [&](const Tiles& part) { count += static_cast<int>(part.size()); });
  EXPECT_EQ(count, 100);
}

// The arguments are of oneTBB's namespace, which has functions of the same names.
TEST(Hybrid, AlgorithmsTakeWholeContainersOfOneTbb) {
  tbb::concurrent_vector<int> values{3, 1, 2};
  tbb::parallel_sort(values);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  tbb::parallel_for_each(values, [](int& value) { value *= 2; });
  EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0), 12);
  const int last = tbb::parallel_scan(
      values.range(), 0,
      [](const auto& part, int sum, bool) {
        return std::accumulate(part.begin(), part.end(), sum);
      },
      std::plus<int>());
  EXPECT_EQ(last, 12);
}

// Unqualified names are those of this library, and not ambiguous.
TEST(Hybrid, NamesAreFoundByADirective) {
  using namespace tbb;
  enumerable_thread_specific<int, cache_aligned_allocator<int>> counts(0);
  const global_control control(global_control::max_allowed_parallelism, 1);
  task_arena arena(2);
  task_group_context context;
  arena.execute([&] {
    parallel_for(
        blocked_range<int>(0, 100),
        [&](const blocked_range<int>& part) { counts.local() += static_cast<int>(part.size()); },
        auto_partitioner(), context);
    task_group group;
    group.run_and_wait([&] { ++counts.local(); });
    static_assert(std::is_same_v<decltype(group.defer([] {})), task_handle>);
  });
  EXPECT_EQ(counts.combine(std::plus<int>()), 101);
  EXPECT_FALSE(is_current_task_group_canceling());
  EXPECT_GE(this_task_arena::max_concurrency(), 1);
  EXPECT_GE(info::default_concurrency(), 1);
  queuing_mutex mutex;
  const queuing_mutex::scoped_lock lock(mutex);
  combinable<int> sums;
  EXPECT_EQ(++sums.local(), 1);
  EXPECT_GE((tick_count::now() - tick_count::now()).seconds(), -1.0);
}

// hybrid_plain.cpp is compiled with oneTBB alone.
TEST(Hybrid, FilesShareContainersWithFilesOfOneTbb) {
  const auto mine = layout<tbb::concurrent_vector<int>, tbb::concurrent_map<int, int>>();
  EXPECT_EQ(mine, plain_layout());
  tbb::concurrent_vector<int> vector;
  tbb::concurrent_map<int, int> map;
  fill_plain(vector, map);
  tbb::parallel_for(0, 100, [&](int i) { vector.push_back(i); });
  for (int i = 0; i < 100; ++i) map.emplace(i, i);
  EXPECT_EQ(vector.size(), 200u);
  EXPECT_EQ(map.size(), 200u);
  EXPECT_EQ(plain_loop(vector), 200);
}

// A container with an allocator of oneTBB makes oneTBB's functions visible, too.
TEST(Hybrid, UnqualifiedFlattenIsOurs) {
  tbb::enumerable_thread_specific<std::vector<int, tbb::tbb_allocator<int>>> values;
  values.local() = {1, 2, 3};
  EXPECT_EQ(flatten2d(values).size(), 3u);
}

TEST(Hybrid, AProportionBecomesATag) {
  tbb::blocked_range<int> all(0, 100);
  const auto tag = tbb::split(tbb::proportional_split(3, 1));
  EXPECT_EQ(tbb::blocked_range<int>(all, tag).size(), 50u);
}

// libstdc++ uses its serial back-end in files with jobs::tbb (or jobs/interop/pstl.hpp).
TEST(Hybrid, StandardAlgorithmsCompile) {
  std::vector<int> numbers(1000, 1);
  EXPECT_EQ(std::reduce(std::execution::par, numbers.begin(), numbers.end()), 1000);
}

}  // namespace
