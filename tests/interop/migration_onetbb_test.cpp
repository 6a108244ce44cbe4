// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of docs/from-onetbb.md, both columns: scripts/check-readme searches this file for them.
#include <gtest/gtest.h>
#include <tbb/tbb.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <mutex>
#include <numeric>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "jobs/sync/shared_spin_lock.hpp"

namespace {

constexpr int n = 1000;

TEST(FromOneTbb, Loops) {
  std::vector<int> y(n);
  std::atomic<int> calls{0};
  const auto add = [&](int i) { ++y[static_cast<std::size_t>(i)]; };
  const auto add_all = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) add(i);
  };
  const auto touch = [&](int, int) { ++calls; };

  tbb::parallel_for(0, n, [&](int i) { add(i); });
  jobs::parallel_for(0, n, [&](int i) { add(i); });

  tbb::parallel_for(0, n, 4, [&](int i) { add(i); });
  jobs::parallel_for(0, n, 4, [&](int i) { add(i); });

  tbb::parallel_for(tbb::blocked_range<int>(0, n),
                    [&](const auto& r) { add_all(r.begin(), r.end()); });
  jobs::parallel_for(0, n, [&](int begin, int end) { add_all(begin, end); });

  tbb::parallel_for(
      tbb::blocked_range<int>(0, n, 100), [&](const auto& r) { add_all(r.begin(), r.end()); },
      tbb::simple_partitioner());
  jobs::parallel_for(0, n, [&](int begin, int end) { add_all(begin, end); }, jobs::Grain(100));

  for (int i = 0; i < n; ++i) EXPECT_EQ(y[static_cast<std::size_t>(i)], i % 4 == 0 ? 8 : 6) << i;

  tbb::parallel_for(tbb::blocked_range2d<int>(0, 20, 0, 30), [&](const auto& r) {
    for (int i = r.rows().begin(); i != r.rows().end(); ++i) {
      for (int j = r.cols().begin(); j != r.cols().end(); ++j) touch(i, j);
    }
  });
  jobs::parallel_for(jobs::Grid(20, 30), [&](int i, int j) { touch(i, j); });
  EXPECT_EQ(calls, 1200);

  {
    tbb::affinity_partitioner partitioner;
    tbb::parallel_for(0, n, add, partitioner);
  }
  {
    jobs::AffinityPartition partition;
    jobs::parallel_for(0, n, add, partition);
  }
  tbb::parallel_for(0, n, add, tbb::static_partitioner());
  {
    jobs::StaticPartition partition;
    jobs::parallel_for(0, n, add, partition);
  }
  EXPECT_EQ(y[1], 10);

  std::list<int> list{1, 2, 3};
  const auto visit = [&](int& item) { ++item; };
  tbb::parallel_for_each(list.begin(), list.end(), visit);
  jobs::parallel_for_each(list, visit);
  EXPECT_EQ(list, (std::list<int>{3, 4, 5}));

  calls = 0;
  const std::vector<int> roots{4};
  tbb::parallel_for_each(roots, [&](int k, tbb::feeder<int>& more) {
    ++calls;
    if (k > 0) more.add(k - 1);
  });
  jobs::parallel_for_each(roots, [&](int k, jobs::Feeder<int>& more) {
    ++calls;
    if (k > 0) more.add(k - 1);
  });
  EXPECT_EQ(calls, 10);
}

TEST(FromOneTbb, Cancels) {
  tbb::task_group_context context;
  tbb::parallel_for(
      0, n,
      [&](int i) {
        if (i == 7) context.cancel_group_execution();
      },
      context);
  std::stop_source stop;
  try {
    jobs::parallel_for(
        0, n,
        [&](int i) {
          if (i == 7) stop.request_stop();
        },
        stop.get_token());
  } catch (const jobs::Cancelled&) {
  }
  EXPECT_TRUE(context.is_group_execution_cancelled());
  EXPECT_TRUE(stop.stop_requested());
}

TEST(FromOneTbb, Sums) {
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 0.0);
  const auto at = [&](std::size_t i) { return x[i]; };
  const double theirs = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, x.size()), 0.0,
      [&](const auto& r, double sum) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) sum += at(i);
        return sum;
      },
      std::plus<>());
  const double ours = jobs::parallel_reduce(0, x.size(), 0.0, std::plus(), at);
  EXPECT_EQ(theirs, ours);
  EXPECT_EQ(jobs::parallel_reduce(x, 0.0), ours);

  std::vector<double> prefix(x.size()), again(x.size());
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, x.size()), 0.0,
      [&](const auto& r, double sum, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          sum += x[i];
          if (is_final) prefix[i] = sum;
        }
        return sum;
      },
      std::plus<>());
  jobs::parallel_inclusive_scan(x, again.begin());
  EXPECT_EQ(prefix, again);

  tbb::parallel_sort(x.begin(), x.end(), std::greater<>());
  EXPECT_EQ(x[0], n - 1);
  jobs::parallel_sort(x, std::less());
  EXPECT_EQ(x[0], 0);
}

TEST(FromOneTbb, Tasks) {
  std::atomic<int> calls{0};
  const auto f = [&] { ++calls; };
  const auto g = f;

  tbb::parallel_invoke(f, g);
  jobs::fork_join(f, g);
  {
    tbb::task_group group;
    group.run(f);
    group.wait();
  }
  {
    jobs::Counter group;
    jobs::spawn(group, f);
    group.wait();
  }
  {
    tbb::task_group group;
    group.run(f);
    group.run_and_wait(g);
  }
  jobs::fork_join(f, g);
  EXPECT_EQ(calls, 10);

  tbb::task_group group;
  group.run(f);
  group.cancel();
  group.wait();
}

TEST(FromOneTbb, Arenas) {
  const auto f = [] { return 5; };
  std::atomic<int> enqueued{0};
  const auto enqueue = [&] { ++enqueued; };
  {
    tbb::task_arena arena(2);
    EXPECT_EQ(arena.execute(f), 5);
    arena.enqueue(enqueue);
    while (enqueued == 0) std::this_thread::yield();  // the destructor does not wait
    tbb::task_arena first(2, 1, tbb::task_arena::priority::high);
    first.enqueue(enqueue);
    while (enqueued == 1) std::this_thread::yield();
    EXPECT_GE(arena.execute([] { return tbb::this_task_arena::current_thread_index(); }), 0);
  }
  enqueued = 0;
  {
    jobs::Scheduler scheduler({.worker_count = 2});
    EXPECT_EQ(scheduler.run(f), 5);
    scheduler.run([&] { jobs::spawn(enqueue); });
    scheduler.run([&] { jobs::spawn(enqueue, {.priority = jobs::Priority::kCritical}); });
    EXPECT_LT(scheduler.run([] { return jobs::worker_index(); }), 2u);
  }
  EXPECT_EQ(enqueued, 2);
  EXPECT_GE(tbb::this_task_arena::max_concurrency(), 1);
  EXPECT_GE(jobs::worker_count(), 1u);
  EXPECT_EQ(tbb::this_task_arena::isolate(f), f());
  {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    tbb::global_control stack(tbb::global_control::thread_stack_size, 1 << 20);
  }
  {
    jobs::Scheduler scheduler({.worker_count = 2, .stack_size = 1 << 20});
  }
}

TEST(FromOneTbb, Pipelines) {
  const auto run_theirs = [](std::vector<int>& out) {
    int next = 0;
    tbb::parallel_pipeline(
        8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                       [&](tbb::flow_control& control) {
                                         if (next == n) control.stop();
                                         return next++;
                                       }) &
               tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { return 2 * i; }) &
               tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                           [&](int i) { out.push_back(i); }));
  };
  const auto run_ours = [](std::vector<int>& out) {
    int next = 0;
    jobs::pipeline(
        8, [&]() -> std::optional<int> { return next == n ? std::nullopt : std::optional(next++); },
        jobs::parallel([](int i) { return 2 * i; }),
        jobs::in_order([&](int i) { out.push_back(i); }));
  };
  std::vector<int> theirs, ours;
  run_theirs(theirs);
  run_ours(ours);
  EXPECT_EQ(theirs, ours);
  EXPECT_EQ(ours.size(), std::size_t{n});
}

TEST(FromOneTbb, Graphs) {
  std::string theirs, ours;
  {
    tbb::flow::graph graph;
    using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
    Node a(graph, [&](const tbb::flow::continue_msg&) { theirs += "a"; });
    Node b(graph, [&](const tbb::flow::continue_msg&) { theirs += "b"; });
    tbb::flow::make_edge(a, b);
    a.try_put({});
    graph.wait_for_all();
  }
  {
    jobs::TaskGraph graph;
    const auto a = graph.node([&] { ours += "a"; });
    const auto b = graph.node([&] { ours += "b"; });
    a.precede(b);
    graph.run();
  }
  EXPECT_EQ(theirs, ours);
}

TEST(FromOneTbb, ValuesOfThreads) {
  tbb::enumerable_thread_specific<int> theirs;
  tbb::parallel_for(0, n, [&](int) { ++theirs.local(); });
  jobs::PerWorker<int> ours;
  jobs::parallel_for(0, n, [&](int) { ++ours.local(); });
  int sum = 0;
  theirs.combine_each([&](int part) { sum += part; });
  EXPECT_EQ(sum, n);
  ours.for_each([&](int part) { sum += part; });
  EXPECT_EQ(sum, 2 * n);
}

TEST(FromOneTbb, Locks) {
  int calls = 0;
  {
    tbb::spin_mutex mutex;
    tbb::spin_mutex::scoped_lock lock(mutex);
    ++calls;
  }
  {
    jobs::SpinLock mutex;
    std::scoped_lock lock(mutex);
    ++calls;
  }
  {
    tbb::queuing_mutex mutex;
    tbb::queuing_mutex::scoped_lock lock(mutex);
    ++calls;
  }
  {
    jobs::Mutex mutex;
    std::scoped_lock lock(mutex);
    ++calls;
  }
  {
    tbb::spin_rw_mutex mutex;
    tbb::spin_rw_mutex::scoped_lock lock(mutex, false);
    ++calls;
  }
  {
    jobs::SharedSpinLock mutex;
    std::shared_lock lock(mutex);
    ++calls;
  }
  {
    tbb::collaborative_once_flag once;
    tbb::collaborative_call_once(once, [&] { ++calls; });
  }
  {
    jobs::OnceFlag once;
    jobs::call_once(once, [&] { ++calls; });
  }
  EXPECT_EQ(calls, 8);

  tbb::concurrent_bounded_queue<int> theirs;
  theirs.set_capacity(4);
  theirs.push(7);
  int item = 0;
  theirs.pop(item);
  EXPECT_EQ(item, 7);
  jobs::Channel<int> ours(4);
  EXPECT_TRUE(ours.push(7));
  EXPECT_EQ(ours.pop(), 7);
}

TEST(FromOneTbb, Waits) {
  const auto start_request = [](auto on_answer) { jobs::spawn(on_answer); };
  int answers = 0;
  tbb::task_group group;
  group.run_and_wait([&] {
    tbb::task::suspend(
        [&](tbb::task::suspend_point at) { start_request([at] { tbb::task::resume(at); }); });
    ++answers;
  });
  jobs::Event answered;
  start_request([&] { answered.signal(); });
  answered.wait();
  EXPECT_EQ(++answers, 2);

  const auto start = tbb::tick_count::now();
  const auto same = std::chrono::steady_clock::now();
  EXPECT_GE((tbb::tick_count::now() - start).seconds(), 0);
  EXPECT_GE((std::chrono::steady_clock::now() - same).count(), 0);
}

}  // namespace
