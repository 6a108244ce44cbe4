// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One call of every public template. The link matrix compiles this file for several processors and
// links it as each kind of program; no test runs it. scripts/check-links fails if a public function
// template is missing here.
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "jobs/generator.hpp"
#include "jobs/jobs.hpp"
#include "jobs/priority_for.hpp"
#include "jobs/progress_for.hpp"

namespace {

using namespace std::chrono_literals;

constexpr auto kIsOdd = [](int x) { return x % 2 != 0; };
constexpr auto kSquare = [](int x) { return x * x; };

void loops(std::vector<int>& v, std::list<int>& list) {
  const int n = static_cast<int>(v.size());
  const auto index = [&](int i) { ++v[static_cast<std::size_t>(i)]; };
  const auto part = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) index(i);
  };
  const auto element = [](int& x) { ++x; };
  const std::stop_token stop;
  jobs::parallel_for(0, n, index);
  jobs::parallel_for(0, n, part, jobs::Grain(16));
  jobs::parallel_for(v, element);
  jobs::parallel_for(0, n, index, stop);
  jobs::parallel_for(v, element, stop);
  jobs::parallel_for(0, n, 2, index);
  jobs::parallel_for(jobs::Grid(10, 10), [&](int i, int j) { index(i * 10 + j); });
  jobs::parallel_for(jobs::Grid(4, 5, 5), [&](int i, int j, int k) { index(i * 25 + j * 5 + k); });
  jobs::parallel_for(jobs::Grid(10, 10), {5, 5},
                     [&](const jobs::Grid<int, 2>& tile) { index(tile.first[0]); });
  jobs::AffinityPartition affinity;
  jobs::parallel_for(0, n, index, affinity);
  jobs::parallel_for(v, element, affinity);
  jobs::parallel_for(0, n, 2, index, stop, jobs::Grain(16));
  jobs::parallel_for(jobs::Grid(10, 10), [&](int i, int j) { index(i * 10 + j); }, affinity);
  jobs::parallel_for(v, element, jobs::LoopLimit(2));
  jobs::parallel_for(v, element, jobs::LoopPriority(jobs::Priority::kLow));
  jobs::parallel_for(0, n, part, jobs::LoopPriority(jobs::Priority::kHigh), affinity);
  jobs::LoopProgress progress;
  jobs::parallel_for(jobs::Grid(10, 10), [&](int i, int j) { index(i * 10 + j); }, progress, stop);
  jobs::parallel_for(v, element, progress);
  jobs::StaticPartition fixed;
  jobs::parallel_for(0, n, part, fixed);
  jobs::parallel_for_each(list, element);
  jobs::parallel_for_each(list, [](int x, jobs::Feeder<int>& more) {
    if (x > 0) more.add(x - 1);
  });
}

int folds(const std::vector<int>& v) {
  const int n = static_cast<int>(v.size());
  int sum = jobs::parallel_reduce(0, n, 0, std::plus<>(), kSquare);
  sum += jobs::parallel_reduce(v, 0);
  sum += jobs::parallel_reduce(v, 0, std::plus<>(), std::plus<>(), jobs::Grain(2));
  sum += jobs::parallel_transform_reduce(v, 0, std::plus<>(), kSquare);
  sum += static_cast<int>(
      jobs::parallel_histogram(v, 2, [](int x) { return kIsOdd(x) ? 1u : 0u; }).size());
  sum += *jobs::parallel_find_if(v, kIsOdd) + *jobs::parallel_find(v, 1);
  sum += jobs::parallel_any_of(v, kIsOdd) + jobs::parallel_all_of(v, kIsOdd) +
         jobs::parallel_none_of(v, kIsOdd);
  sum += *jobs::parallel_min_element(v) + *jobs::parallel_max_element(v) +
         *jobs::parallel_minmax_element(v).min;
  return sum;
}

void scans(const std::vector<int>& v, std::vector<int>& out) {
  jobs::parallel_inclusive_scan(v, out.begin());
  jobs::parallel_inclusive_scan(v, out.begin(), 1, std::plus<>());
  jobs::parallel_exclusive_scan(v, out.begin(), 0);
  jobs::parallel_transform_inclusive_scan(v, out.begin(), std::plus<>(), kSquare);
  jobs::parallel_transform_inclusive_scan(v, out.begin(), 1, std::plus<>(), kSquare);
  jobs::parallel_transform_exclusive_scan(v, out.begin(), 0, std::plus<>(), kSquare);
}

void orders(std::vector<int>& v, std::vector<int>& out) {
  jobs::parallel_sort(v);
  jobs::parallel_sort(v.begin(), v.end(), std::greater<>());
  jobs::parallel_stable_sort(v);
  jobs::parallel_stable_sort(v.begin(), v.end(), std::greater<>());
  jobs::parallel_radix_sort(v);
  jobs::parallel_sort_by_key(v, out);
  jobs::parallel_nth_element(v, v.begin() + 1);
  jobs::parallel_partition(v, kIsOdd);
  jobs::parallel_merge(v, v, out.begin());
  jobs::parallel_copy_if(v, out.begin(), kIsOdd);
  jobs::parallel_unique(v);
  jobs::parallel_remove_if(v, kIsOdd);
  jobs::parallel_transform(v, out.begin(), kSquare);
  jobs::parallel_generate(v, [](std::size_t i) { return static_cast<int>(i); });
  jobs::parallel_for_each_n(v.begin(), 2, [](int& x) { ++x; });
}

int forks() {
  const auto [a, b] = jobs::fork_join([] { return 1; }, [] { return 2; });
  const auto [c, d, e] =
      jobs::fork_join([] { return 1; }, [] { return 2; }, [] { return std::string("3"); });
  const auto with_context = [](jobs::ForkContext context) {
    const auto [x, y] = jobs::fork_join(
        context, [](jobs::ForkContext) { return 1; }, [](jobs::ForkContext) { return 2; });
    return x + y;
  };
  jobs::Counter counter;
  jobs::spawn([] {});
  jobs::spawn(counter, [] {});
  jobs::spawn(counter, [] {}, {.priority = jobs::Priority::kCritical});
  const jobs::JobHandle job = jobs::spawn_after({}, [] {});
  jobs::spawn_after({job, job}, [] {}).wait();
  jobs::spawn_after(std::span(&job, 1), [] {}).wait();
  jobs::spawn_after(job, [] {}).wait();
  jobs::spawn_after(counter, [] {}).wait();
  jobs::spawn_after(counter, 2, [] {}).wait();
  jobs::spawn_after(jobs::DependencyCount{0}, [] {}).wait();
  jobs::spawn_on_end(job, [] {}).wait();
  jobs::spawn_at(std::chrono::steady_clock::now(), [] {}).wait();
  jobs::Pipe().spawn([] {}).wait();
  counter.wait();
  return a + b + c + d + static_cast<int>(e.size()) + jobs::with_fork_context(with_context);
}

int fibers() {
  jobs::Fiber<int> fiber([] { return jobs::this_fiber::suspend<int>(); });
  jobs::FiberRef(fiber).schedule(1);
  jobs::Fiber<> sleeper([] { jobs::this_fiber::sleep_for(1us); });
  jobs::wait_all({jobs::FiberRef(fiber), jobs::FiberRef(sleeper)});
  jobs::FiberGroup group;
  group.start([] {});
  static_cast<void>(group.wait_for(1us));
  static_cast<void>(group.wait_until(std::chrono::steady_clock::now()));
  group.wait();
  static jobs::FiberLocal<int> local;
  *local = 1;
  std::stop_source source;
  jobs::every(1us, [&] { source.request_stop(); }, source.get_token());
  const int blocked = jobs::blocking([] { return 1; });
  jobs::cancel_after(1s, [] {});
  const bool in_time = jobs::move_on_after(1s, [] {});
  const auto numbers = []() -> jobs::Generator<int> { co_yield 1; };
  int sum = blocked + in_time + fiber.join();
  for (const int number : numbers()) sum += number;
  return sum;
}

int waits() {
  jobs::Channel<int> numbers(4);
  jobs::Channel<std::string> texts(4);
  std::optional<int> number;
  std::optional<std::string> text;
  static_cast<void>(numbers.push(1));
  jobs::select(numbers.on_pop(number), texts.on_pop(text));
  [[maybe_unused]] const auto at_once = jobs::try_select(numbers.on_pop(number));
  [[maybe_unused]] const auto in_time = jobs::select_for(1us, numbers.on_pop(number));
  jobs::OnceFlag once;
  jobs::call_once(once, [] {});
  jobs::Mutex mutex;
  jobs::ConditionVariable condition;
  std::unique_lock lock(mutex);
  condition.wait(lock, [] { return true; });
  [[maybe_unused]] const bool woken = condition.wait_for(lock, 1us, [] { return true; });
  jobs::Event event;
  [[maybe_unused]] const bool signalled = event.wait_for(1us);
  if (signalled) jobs::Event::any(event);
  return number.value_or(0);
}

int graphs() {
  jobs::TaskGraph graph;
  const auto argument = graph.argument<const int>();
  graph.node([](const int&) {}, "reader", argument);
  const auto one = graph.node([] { return 1L; });
  const auto two =
      graph.node([](long x) { return std::string(static_cast<std::size_t>(x), 'x'); }, "two", one);
  one.precede(graph.node([] {}));
  one.precede(graph.condition([] { return 0; }));
  graph.node([] {}).succeed(two, one, std::vector{one});
  graph.node([](const std::string&) {}, "three", two);
  const int input = 1;
  graph.run(input);
  jobs::TaskGraph::Run again(graph);
  again.start(input);
  static_cast<void>(again.wait_until(std::chrono::steady_clock::now()) || again.wait_for(1h));
  jobs::Resource<int> resource("resource");
  jobs::AccessGraph access;
  access.node([&](jobs::Access& a) { a.write(resource) = 1; }, "write", jobs::writes(resource));
  access.node([&](jobs::Access& a) { static_cast<void>(a.read(resource)); }, "read",
              jobs::reads(resource));
  access.run();
  int left = 3;
  jobs::pipeline(
      2, [&]() -> std::optional<int> { return left > 0 ? std::optional(left--) : std::nullopt; },
      jobs::parallel([](int x) { return x; }), jobs::out_of_order([](int x) { return x; }),
      jobs::in_order([](int) {}));
  return left;
}

int memory(const std::vector<int>& v) {
  jobs::PerWorker<int> sums;
  *sums.lease() += sums.combine(std::plus<>());
  jobs::parallel_for(v, [&](int x) { sums.local() += x; });
  const jobs::numa_vector<int> spread(100);
  const jobs::first_touch_vector<int> touched(100);
  const std::size_t pages = jobs::page_placement(std::span(spread)).absent + touched.size();
  int sum = 0;
  sums.for_each([&](int x) { sum += x; });
  return sum + static_cast<int>(pages);
}

}  // namespace

#if defined(JOBS_LINK_SHARED)
extern "C" [[gnu::visibility("default")]] int call_every_template() {
#else
int main() {
#endif
  jobs::Scheduler scheduler({.worker_count = 2});
  std::vector<int> v(100, 1);
  std::vector<int> out(200);
  std::list<int> list{1, 2};
  scheduler.run([&] { loops(v, list); });
  scans(v, out);
  orders(v, out);
  return folds(v) + forks() + fibers() + waits() + graphs() + memory(v);
}
