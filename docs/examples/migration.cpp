// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The rows of docs/from-others.md, the columns of jobs: scripts/check-readme searches this file for
// them. One function for each library; main() checks their results.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "docs/examples/check.hpp"
#include "jobs/jobs.hpp"
#include "jobs/sync/object_pool.hpp"
#include "jobs/sync/ticket_queue.hpp"

namespace {

using example::check;

using namespace std::chrono_literals;

constexpr std::size_t n = 1000;

void from_openmp_loops() {
  std::vector<double> x(n, 2.0);
  std::atomic<std::size_t> count{0};
  const auto body = [&](std::size_t) { ++count; };
  const auto at = [&](std::size_t i) { return x[i]; };
  const auto larger = [](double a, double b) { return std::max(a, b); };

  jobs::parallel_for(0, n, [&](std::size_t i) { x[i] = std::sqrt(i); });
  jobs::parallel_for(0, n, body);
  jobs::parallel_for(0, n, body, jobs::Grain(16));
  jobs::parallel_for(0, n, body, jobs::LoopLimit(4));
  jobs::StaticPartition partition;
  jobs::parallel_for(0, n, body, partition);
  jobs::parallel_for(jobs::Grid(20, 50), [&](int, int) { ++count; });
  check(count == 5 * n, "OpenMP: loops");

  const double sum = jobs::parallel_reduce(0, n, 0.0, std::plus(), at);
  const double best = jobs::parallel_reduce(0, n, 0.0, larger, at);
  check(sum > 20'000 && best == std::sqrt(n - 1), "OpenMP: reductions");

  jobs::PerWorker<std::vector<double>> buffers;
  jobs::parallel_for(0, n, [&](std::size_t i) {
    std::vector<double>& buffer = buffers.local();
    buffer.assign(3, static_cast<double>(i));
  });
  std::stop_source stop;
  bool is_cut_short = false;
  try {
    jobs::parallel_for(0, n, [&](std::size_t) { stop.request_stop(); }, stop.get_token());
  } catch (const jobs::Cancelled&) {
    is_cut_short = true;
  }
  check(is_cut_short, "OpenMP: cancel");
}

void from_openmp_tasks() {
  std::atomic<std::size_t> count{0};
  const auto f = [&] { ++count; };
  const auto g = [&] { ++count; };
  jobs::fork_join(f, g);

  jobs::Counter tasks;
  jobs::spawn(tasks, f);
  tasks.wait();

  const jobs::JobHandle a = jobs::spawn_after({}, f);
  const jobs::JobHandle b = jobs::spawn_after(a, g);
  b.wait();

  jobs::spawn(tasks, f, {.priority = jobs::Priority::kHigh});
  tasks.wait();

  jobs::OnceFlag once;
  jobs::parallel_for(0, n, [&](std::size_t) { jobs::call_once(once, f); });
  check(count == 7, "OpenMP: tasks");

  std::size_t total = 0;
  jobs::Mutex mutex;
  jobs::parallel_for(0, n, [&](std::size_t i) {
    const std::scoped_lock lock(mutex);
    total += i;
  });
  check(total == 499'500, "OpenMP: critical");

  std::string text;
  jobs::TicketQueue order;
  for (const char* word : {"one ", "two"}) {
    jobs::spawn(tasks, [&text, word, ticket = order.take()]() mutable {
      ticket.wait();
      text += word;
    });
  }
  tasks.wait();
  check(text == "one two", "OpenMP: ordered");

  jobs::Barrier barrier(2);
  for (int i = 0; i < 2; ++i) jobs::spawn(tasks, [&] { barrier.arrive_and_wait(); });
  tasks.wait();
  const bool is_worker = jobs::worker_index().has_value();
  check(!is_worker && jobs::worker_count() > 0, "OpenMP: numbers");
}

void from_std() {
  std::atomic<std::size_t> count{0};
  const auto f = [&] { return ++count; };
  auto answer = jobs::async(f);
  check(answer.join() == 1, "std: async");

  jobs::Fiber slow([] { return 42; });
  while (!slow.join_for(1ms)) {
  }
  check(slow.join() == 42, "std: wait_for");

  jobs::Counter all;
  for (int i = 0; i < 10; ++i) jobs::spawn(all, f);
  all.wait();
  check(count == 11, "std: many futures");

  jobs::Channel<int> promise(1);
  jobs::Fiber<> keeper([&] { static_cast<void>(promise.push(42)); });
  const std::optional<int> value = promise.pop();
  check(value == 42, "std: promise");

  jobs::Fiber<> thread([](std::stop_token stop) {
    while (!stop.stop_requested()) jobs::yield();
  });
  jobs::this_fiber::sleep_for(1ms);
  check(thread.stop_and_join(), "std: jthread");

  bool is_ready = false;
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  jobs::Fiber<> setter([&] {
    const std::scoped_lock lock(mutex);
    is_ready = true;
    changed.notify_all();
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return is_ready; });
  }
  jobs::Latch latch(2);
  jobs::Semaphore semaphore(4);
  semaphore.acquire();
  latch.count_down(2);
  latch.wait();
  semaphore.release();
  std::vector<int> x{3, 1, 2};
  jobs::parallel_for_each(x, [](int& element) { ++element; });
  check(x[0] == 4, "std: for_each");
}

void from_rayon() {
  std::vector<double> x(n, 2.0);
  std::vector<double> out(n);
  std::atomic<std::size_t> count{0};
  const auto f = [&] { ++count; };
  const auto g = [&] { ++count; };
  const auto square = [](double v) { return v * v; };
  const auto is_large = [](double v) { return v > 3; };
  const auto fold = [](double sum, double v) { return sum + v * v; };

  jobs::fork_join(f, g);
  jobs::Counter scope;
  jobs::spawn(scope, f);
  scope.wait();

  jobs::parallel_for(x, [](double& v) { v += 1; });
  check(jobs::parallel_transform_reduce(x, 0.0, std::plus(), square) == 9000, "rayon: map, sum");
  check(jobs::parallel_reduce(x, 0.0, std::plus(), fold) == 9000, "rayon: fold, reduce");
  jobs::parallel_transform(x, out.begin(), square);
  check(out[n - 1] == 9, "rayon: map, collect");
  out.erase(jobs::parallel_copy_if(x, out.begin(), is_large), out.end());
  check(out.empty(), "rayon: filter");
  jobs::parallel_for(
      0, n, [&](std::size_t begin, std::size_t end) { count += end - begin; }, jobs::Grain(64));
  check(count == n + 3, "rayon: chunks");

  jobs::parallel_sort(x);
  jobs::parallel_stable_sort(x);
  check(jobs::parallel_find_if(x, is_large) == x.end(), "rayon: find_first");
  check(!jobs::parallel_any_of(x, is_large), "rayon: any");
  check(*jobs::parallel_max_element(x) == 3, "rayon: max");

  jobs::Scheduler pool({.worker_count = 4});
  pool.run(f);
  check(count == n + 4, "rayon: pools");
}

void from_marl() {
  jobs::Scheduler scheduler({.worker_count = 2, .stack_size = 64 * 1024});
  const jobs::SchedulerScope scope(scheduler);
  std::atomic<std::size_t> count{0};
  const auto f = [&] { ++count; };
  const auto g = [&] { ++count; };

  jobs::Counter wait_group(1);
  jobs::spawn([&] { wait_group.done(); });
  wait_group.wait();

  jobs::Event event;
  jobs::Event turn(jobs::Event::Reset::kAutomatic);
  event.signal();
  event.wait();
  turn.signal();
  turn.wait();
  check(jobs::Event::any(event, turn) == 0, "marl: any");

  jobs::TicketQueue queue;
  auto ticket = queue.take();
  ticket.wait();
  ticket.done();
  jobs::ObjectPool<int> objects(4);
  *objects.borrow() = 1;

  jobs::fork_join(f, g);
  jobs::blocking(f);
  jobs::Counter done;
  jobs::spawn(done, f, {.on = jobs::worker(0)});
  done.wait();
  check(count == 4, "marl: tasks");

  std::string order;
  jobs::TaskGraph graph;
  const auto a = graph.node([&] { order += "a"; });
  const auto b = graph.node([&] { order += "b"; });
  a.precede(b);
  graph.run();
  check(order == "ab", "marl: DAG");
}

void from_enkits() {
  jobs::Scheduler scheduler({.worker_count = 4, .bind_caller = true});
  std::atomic<std::size_t> count{0};
  const auto f = [&] { ++count; };
  const auto body = [&](std::size_t begin, std::size_t end) { count += end - begin; };

  jobs::parallel_for(0, n, body, jobs::Grain(64));
  jobs::Counter done;
  jobs::spawn(done, [&] { jobs::parallel_for(0, n, body); });
  done.wait();
  check(count == 2 * n, "enkiTS: task sets");

  jobs::spawn(done, f, {.on = jobs::main_thread});
  scheduler.run_main_thread_jobs();
  jobs::spawn(done, f, {.priority = jobs::Priority::kLow});
  done.wait();

  const jobs::JobHandle a = jobs::spawn_after({}, f);
  const jobs::JobHandle b = jobs::spawn_after({}, f);
  const jobs::JobHandle c = jobs::spawn_after({a, b}, f);
  const jobs::JobHandle end = jobs::spawn_on_end(c, f);
  end.wait();
  check(end.is_done() && count == 2 * n + 6, "enkiTS: dependencies");
  check(scheduler.worker_count() == 4, "enkiTS: numbers");
  scheduler.shutdown();
}

void from_boost_fiber() {
  std::atomic<std::size_t> count{0};
  const auto f = [&] { return ++count; };
  jobs::Fiber<> fiber(f);
  fiber.join();
  check(jobs::async(f).join() == 2, "Boost.Fiber: async");
  jobs::Fiber<> now(f, {.name = "now", .stack_size = 64 * 1024, .start = jobs::FiberStart::kNow});
  now.join();
  jobs::Fiber<> urgent(f, {.priority = jobs::Priority::kHigh});
  urgent.join();
  check(count == 4, "Boost.Fiber: fibers");

  jobs::yield();
  jobs::this_fiber::sleep_for(1ms);
  check(jobs::this_fiber::id() == jobs::FiberId{}, "Boost.Fiber: id");

  jobs::Mutex mutex;
  const bool is_locked = mutex.try_lock_for(1ms);
  if (is_locked) mutex.unlock();
  jobs::Barrier barrier(1);
  barrier.arrive_and_wait();
  check(is_locked, "Boost.Fiber: mutex");

  jobs::Channel<int> buffered(16);
  jobs::Channel<int> unbuffered(0);
  jobs::Fiber<> sender([&] {
    if (buffered.push(1) && unbuffered.push(2)) buffered.close();
  });
  const std::optional<int> first = buffered.pop();
  const std::optional<int> second = unbuffered.pop();
  check(first == 1 && second == 2, "Boost.Fiber: channels");

  static jobs::FiberLocal<int> local;
  jobs::Fiber<int> owner([] { return ++*local; });
  check(owner.join() == 1, "Boost.Fiber: locals");
}

}  // namespace

int main() {
  from_openmp_loops();
  from_openmp_tasks();
  from_std();
  from_rayon();
  from_marl();
  from_enkits();
  from_boost_fiber();
  return example::failures;
}
