// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A user's program, built with -fno-rtti, with -fno-exceptions and with both. It runs each part of
// the API once. GoogleTest needs RTTI or exceptions, so the program does without it. Exit status 0:
// all results are right.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "jobs/generator.hpp"
#include "jobs/interop/tbb.hpp"
#include "jobs/jobs.hpp"

namespace {

using namespace std::chrono_literals;

int failures = 0;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

constexpr int kMany = 10'000;
constexpr int kSum = kMany * (kMany - 1) / 2;

std::vector<int> numbers() {
  std::vector<int> all(kMany);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

void loops() {
  std::atomic<int> sum{0};
  jobs::parallel_for(0, kMany, [&](int i) { sum += i; });
  check(sum.exchange(0) == kSum, "parallel_for");
  jobs::parallel_for(
      0, kMany,
      [&](int begin, int end) {
        for (int i = begin; i < end; ++i) sum += i;
      },
      jobs::Grain(100));
  check(sum.exchange(0) == kSum, "parallel_for over parts");
  jobs::parallel_for(numbers(), [&](int i) { sum += i; });
  check(sum.exchange(0) == kSum, "parallel_for over a range");
  jobs::parallel_for(jobs::Grid(100, 100), [&](int y, int x) { sum += y * 100 + x; });
  check(sum.exchange(0) == kSum, "parallel_for over a grid");
  jobs::parallel_for(jobs::Grid(10, 10), {4, 4},
                     [&](const jobs::Grid<int, 2>& tile) { sum += tile.last[0] - tile.first[0]; });
  check(sum.exchange(0) == 30, "parallel_for over tiles");
  jobs::parallel_for(0, kMany, 2, [&](int) { ++sum; });
  check(sum.exchange(0) == kMany / 2, "parallel_for with a step");
  jobs::parallel_for(0, kMany, [&](int i) { sum += i; }, std::stop_token());
  check(sum.exchange(0) == kSum, "parallel_for with a stop token");
  jobs::AffinityPartition partition;
  for (int round = 0; round < 2; ++round)
    jobs::parallel_for(0, kMany, [&](int i) { sum += i; }, partition);
  check(sum.exchange(0) == 2 * kSum, "parallel_for with a partition");
  const std::vector<int> all = numbers();
  const std::list<int> list(all.begin(), all.end());
  jobs::parallel_for_each(list, [&](int i) { sum += i; });
  check(sum.exchange(0) == kSum, "parallel_for_each");
  jobs::parallel_for_each(list, [&](int i, jobs::Feeder<int>& feeder) {
    ++sum;
    if (i == 0) feeder.add(-1);
  });
  check(sum.exchange(0) == kMany + 1, "parallel_for_each with a feeder");
  check(jobs::parallel_reduce(0, kMany, 0, std::plus{}, [](int i) { return i; }) == kSum,
        "parallel_reduce");
  jobs::tbb::parallel_for(0, kMany, [&](int i) { sum += i; });
  check(sum.exchange(0) == kSum, "tbb::parallel_for");
}

void algorithms() {
  const std::vector<int> sorted = numbers();
  std::vector<int> values(sorted.rbegin(), sorted.rend());
  jobs::parallel_sort(values);
  check(values == sorted, "parallel_sort");
  jobs::parallel_stable_sort(values, std::greater{});
  check(values.front() == kMany - 1, "parallel_stable_sort");
  jobs::parallel_radix_sort(values);
  check(values == sorted, "parallel_radix_sort");
  std::vector<std::string> names(2'000);
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::to_string(i * 7919 % 2'000);
  jobs::parallel_sort(names);
  check(std::is_sorted(names.begin(), names.end()), "parallel_sort of strings");
  jobs::parallel_stable_sort(names, std::greater{});
  check(std::is_sorted(names.rbegin(), names.rend()), "parallel_stable_sort of strings");
  std::vector<int> sums(values.size());
  jobs::parallel_inclusive_scan(values, sums.begin());
  check(sums.back() == kSum, "parallel_inclusive_scan");
  check(*jobs::parallel_find(values, 77) == 77, "parallel_find");
  check(jobs::parallel_histogram(values, kMany)[5] == 1, "parallel_histogram");
  check(*jobs::parallel_max_element(values) == kMany - 1, "parallel_max_element");
  std::vector<int> merged(2 * values.size());
  jobs::parallel_merge(values, sorted, merged.begin());
  check(std::is_sorted(merged.begin(), merged.end()), "parallel_merge");
  jobs::parallel_nth_element(merged, merged.begin() + kMany);
  const auto end_of_even = jobs::parallel_partition(values, [](int i) { return i % 2 == 0; });
  check(end_of_even - values.begin() == kMany / 2, "parallel_partition");
  std::vector<int> copy(values.size());
  check(jobs::parallel_copy_if(values, copy.begin(), [](int i) { return i < 10; }) - copy.begin() ==
            10,
        "parallel_copy_if");
  jobs::parallel_sort(merged);
  check(jobs::parallel_unique(merged) - merged.begin() == kMany, "parallel_unique");
  jobs::parallel_transform(sorted, copy.begin(), [](int i) { return 2 * i; });
  check(copy.back() == 2 * (kMany - 1), "parallel_transform");
}

int fibonacci(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      jobs::fork_join([n] { return fibonacci(n - 1); }, [n] { return fibonacci(n - 2); });
  return a + b;
}

void jobs_and_forks() {
  check(fibonacci(20) == 6765, "fork_join");
  jobs::Counter done;
  std::atomic<int> count{0};
  for (int i = 0; i < 100; ++i) jobs::spawn(done, [&] { ++count; });
  jobs::yield();
  static_cast<void>(jobs::maybe_yield());
  jobs::spawn(done, [&] { ++count; }, {.on = jobs::worker(0)});
  jobs::spawn(done, [text = std::string(2000, 'x'), block = std::array<char, 2000>(), &count] {
    count += text.size() + block.size() > 0;
  });
  done.wait();
  check(count == 102, "spawn");
  jobs::Scheduler two({.worker_count = 2});
  check(two.run([] { return std::string("here"); }) == "here", "run");
  check(jobs::blocking([] { return 7; }) == 7, "blocking");
  int rounds = 0;
  jobs::every(1us, [&] { return ++rounds < 3; });
  check(rounds == 3, "every");
}

struct Order {
  std::string item;
};

void fibers() {
  jobs::Fiber<std::string> server([] { return jobs::this_fiber::suspend<Order>().item; });
  server.schedule(Order{"tea"});
  check(server.join() == "tea", "a value for a fiber");
  jobs::Fiber<std::optional<int>> patient([] { return jobs::this_fiber::suspend_for<int>(10s); });
  patient.schedule(5);
  check(patient.join() == 5, "an int for a fiber");
  jobs::Fiber<> plain([] { jobs::this_fiber::suspend(); });
  plain.schedule(Order{"dropped"});
  plain.join();
  jobs::FiberGroup group;
  std::atomic<int> count{0};
  for (int i = 0; i < 10; ++i) group.start([&] { ++count; });
  group.wait();
  check(count == 10, "FiberGroup");
  jobs::FiberLocal<int> local;
  jobs::Fiber<int>([&] { return *local = 3; }).join();
#if defined(__cpp_exceptions)
  check(jobs::cancel_after(10s, [] { return 1; }) == 1, "cancel_after");
#endif
}

void waiting() {
  jobs::Mutex mutex;
  jobs::ConditionVariable changed;
  jobs::Event event;
  jobs::Semaphore semaphore(0);
  jobs::Latch latch(1);
  jobs::Channel<std::unique_ptr<int>> channel(1);
  jobs::OnceFlag once;
  int turn = 0;
  jobs::Fiber<> first([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return turn == 1; });
    turn = 2;
    changed.notify_all();
  });
  jobs::Fiber<> second([&] {
    std::unique_lock lock(mutex);
    turn = 1;
    changed.notify_all();
    changed.wait(lock, [&] { return turn == 2; });
    event.signal();
    semaphore.release();
    latch.count_down();
    for (int i = 0; i < 10; ++i) check(channel.push(std::make_unique<int>(i)), "push");
    channel.close();
  });
  event.wait();
  semaphore.acquire();
  latch.wait();
  int sum = 0;
  for (std::unique_ptr<int>& item : channel) sum += *item;
  check(sum == 45, "Channel");
  first.join();
  second.join();
  jobs::call_once(once, [&] { ++turn; });
  jobs::call_once(once, [&] { ++turn; });
  check(turn == 3, "call_once");
  jobs::Channel<int> empty(1);
  std::optional<int> item;
  check(!jobs::try_select(empty.on_pop(item)), "try_select");
  check(!mutex.try_lock_for(0s) == false, "try_lock_for");
  mutex.unlock();
}

jobs::Generator<int> squares(int n) {
  for (int i = 0; i < n; ++i) co_yield i* i;
}

void graphs() {
  jobs::TaskGraph graph;
  int seen = 0;
  const auto text = graph.node([] { return std::string("text"); }, "make");
  const auto size =
      graph.node([](const std::string& made) { return made.size(); }, "measure", text);
  graph.node([&](std::size_t length) { seen = static_cast<int>(length); }, "keep", size);
  for (int round = 0; round < 3; ++round) graph.run();
  check(seen == 4 && graph.get(text) == "text", "TaskGraph");

  jobs::AccessGraph accesses;
  jobs::Resource<int> total("total", 0);
  for (int i = 0; i < 3; ++i)
    accesses.node([&](jobs::Access& access) { ++access.write(total); }, "add", jobs::writes(total));
  accesses.run();
  check(total.unguarded() == 3, "AccessGraph");

  int next = 0;
  std::vector<std::string> out;
  jobs::pipeline(
      4, [&]() -> std::optional<int> { return next < 100 ? std::optional(next++) : std::nullopt; },
      jobs::parallel([](int i) { return std::to_string(i); }),
      jobs::in_order([&](std::string text_of_one) { out.push_back(std::move(text_of_one)); }));
  check(out.size() == 100 && out.back() == "99", "pipeline");

  int sum = 0;
  for (const int square : squares(4)) sum += square;
  check(sum == 14, "Generator");

  jobs::PerWorker<int> counts;
  jobs::parallel_for(0, kMany, [&](int) { ++counts.local(); });
  int counted = 0;
  counts.for_each([&](int count) { counted += count; });
  check(counted == kMany, "PerWorker");
}

// Types that several files of a program share, so that the linker sees the same names in all of
// them.
void named_callables() {
  std::atomic<int> sum{0};
  const std::function<void()> call = [&] { ++sum; };
  const std::function<void(int)> call_index = [&](int i) { sum += i; };
  jobs::Counter done;
  jobs::spawn(done, call);
  jobs::spawn(done, call, {.on = jobs::worker(0)});
  done.wait();
  jobs::fork_join(call, call);
  jobs::parallel_for(0, kMany, call_index);
  jobs::parallel_for(numbers(), call_index);
  jobs::parallel_for(0, kMany, call_index, std::stop_token());
  jobs::AffinityPartition partition;
  jobs::parallel_for(0, kMany, call_index, partition);
  jobs::parallel_for_each(std::list<int>{1}, call_index);
  jobs::Fiber<>(call).join();
  jobs::FiberGroup group;
  group.start(call);
  group.wait();
  jobs::blocking(call);
  jobs::Scheduler one({.worker_count = 1});
  one.run(call);
  jobs::OnceFlag once;
  jobs::call_once(once, call);
  jobs::TaskGraph graph;
  graph.node(call);
  graph.run();
  const std::function<std::optional<int>()> source = [next = 0]() mutable {
    return next < 3 ? std::optional(next++) : std::nullopt;
  };
  jobs::pipeline(2, source, jobs::parallel(call_index));
  const std::function<int(int)> same = [](int i) { return i; };
  check(jobs::parallel_reduce(0, kMany, 0, std::plus{}, same) == kSum,
        "parallel_reduce of a std::function");
  const std::function<bool()> is_last = [&] { return ++sum % 2 == 0; };
  jobs::every(1us, is_last);
}

}  // namespace

int main() {
  loops();
  algorithms();
  jobs_and_forks();
  fibers();
  waiting();
  graphs();
  named_callables();
  return failures == 0 ? 0 : 1;
}
