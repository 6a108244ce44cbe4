// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Programs that the compiler must refuse, one per CASE; case 0 is their common part and compiles.
#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "jobs/coroutine.hpp"
#include "jobs/jobs.hpp"

[[maybe_unused]] static jobs::Task<int> task_of_a_number() { co_return 1; }

int main() {
  jobs::Scheduler scheduler;
  jobs::Counter done;
  jobs::Event event;
  jobs::Mutex mutex;
  jobs::Fiber<> fiber([] {});
  jobs::AffinityPartition partition;
  [[maybe_unused]] const std::size_t size = 10;
  [[maybe_unused]] std::vector<int> vector(size);
  [[maybe_unused]] std::vector<double> numbers(size);
  [[maybe_unused]] std::list<int> list;
  [[maybe_unused]] std::stop_source stop;

#if CASE == 1
  jobs::Scheduler copy = scheduler;  // a scheduler cannot be in two places
#elif CASE == 2
  jobs::Counter copy = done;
#elif CASE == 3
  jobs::Fiber<> copy = fiber;  // it would be unclear which handle joins the fiber
#elif CASE == 4
  jobs::Mutex moved = std::move(mutex);  // other threads have its address
#elif CASE == 5
  jobs::spawn(done, [](int) {});  // no caller supplies the int
#elif CASE == 6
  jobs::fork_join([] {});  // with one function this is a plain call
#elif CASE == 7
  jobs::parallel_for(0, size, [](std::vector<int>&) {});  // the index is a std::size_t
#elif CASE == 8
  jobs::parallel_for(0, 10, [](int) {}, 4);  // 4 may mean a grain or a number of workers
#elif CASE == 9
  event.wait_for(std::chrono::seconds(1));  // the result shows if the event has happened
#elif CASE == 10
  jobs::parallel_reduce(0, 10, 0, std::plus<>(), [](int i) { return i; });  // the sum is not used
#elif CASE == 11
  jobs::Fiber<>([] {});  // joined at once: a call would be cheaper
#elif CASE == 12
  mutex.try_lock();  // the result shows if the mutex is locked
#elif CASE == 13
  jobs::parallel_for(0.0, 1.0, [](double) {});  // the number of iterations is undefined
#elif CASE == 14
  // The body expects an element, but gets an index.
  jobs::parallel_for(0, 10, [](std::vector<int>&) {});
#elif CASE == 15
  jobs::parallel_for(list, [](int) {});  // a list cannot be divided
#elif CASE == 16
  jobs::parallel_for(jobs::Grid(10, 10), [](int, int) {}, 16);
#elif CASE == 17
  jobs::parallel_for(jobs::Grid(10, 10), [](int) {});
#elif CASE == 18
  jobs::parallel_for(vector, [](std::vector<int>&) {});
#elif CASE == 19
  jobs::parallel_for(vector.begin(), vector.end(), [](int) {});
#elif CASE == 20
  jobs::parallel_for(0, 10, 2, [](int, int) {});
#elif CASE == 21
  jobs::parallel_for(0, 10, [](int*) {}, stop.get_token());
#elif CASE == 22
  jobs::parallel_for(0, 10, [](int*) {}, partition);
#elif CASE == 23
  jobs::parallel_for_each(list, [](int*) {});
#elif CASE == 24
  // The map comes last.
  const int sum = jobs::parallel_reduce(0, size, 0, [](int i) { return i; }, std::plus());
#elif CASE == 25
  const int sum = jobs::parallel_reduce(0, 10, 0, std::plus(), [](int* i) { return i; });
#elif CASE == 26
  const int sum = jobs::parallel_reduce(list, 0);
#elif CASE == 27
  const auto [a, b] = jobs::fork_join([] { return 1; }, [](int) { return 2; });
#elif CASE == 28
  jobs::pipeline(4, [] { return 1; }, jobs::parallel([](int) {}));
#elif CASE == 29
  jobs::pipeline(4, [] { return std::optional<int>(); }, [](int) {});
#elif CASE == 30
  jobs::TaskGraph().node([](int) {});
#elif CASE == 47
  jobs::TaskGraph().condition([] { return "text"; });
#elif CASE == 48
  jobs::TaskGraph graph;
  graph.node([] {}).precede(5);
#elif CASE == 31
  jobs::Fiber<int> wrong([] { return "text"; });
#elif CASE == 51
  const int sum = jobs::parallel_reduce(vector, 0, std::plus(), [](int i) { return i; });
#elif CASE == 49
  jobs::Fiber wrong([](int) {});
#elif CASE == 50
  const auto wrong = jobs::async([](int) { return 1; });
#elif CASE == 32
  jobs::parallel_sort(list);
#elif CASE == 33
  jobs::parallel_sort(vector, [](int) { return true; });
#elif CASE == 34
  const auto found = jobs::parallel_find_if(vector, [](int*) { return true; });
#elif CASE == 35
  jobs::parallel_inclusive_scan(list, vector.begin());
#elif CASE == 36
  jobs::every(5, [] {});
#elif CASE == 37
  const int result = jobs::blocking([](int) { return 1; });
#elif CASE == 38
  const int result = scheduler.run([](int) { return 1; });
#elif CASE == 39
  jobs::spawn([](int) {});
#elif CASE == 40
  jobs::parallel_for(jobs::Grid(10, 10), {2, 2}, [](int, int) {});
#elif CASE == 41
  jobs::parallel_transform(vector, vector.begin(), [](int*) { return 1; });
#elif CASE == 42
  scheduler.spawn(done, [](int) {});
#elif CASE == 43
  scheduler.spawn([](int) {});
#elif CASE == 44
  const jobs::JobHandle job = jobs::spawn_after(done, [](int) {});
#elif CASE == 52
  const jobs::JobHandle job = jobs::spawn_after(done, 2, [](int) {});
#elif CASE == 45
  const jobs::JobHandle job = jobs::spawn_at(std::chrono::steady_clock::now(), [](int) {});
#elif CASE == 46
  jobs::Pipe pipe;
  const jobs::JobHandle job = pipe.spawn([](int) {});
#elif CASE == 53
  jobs::start(done, task_of_a_number());
#elif CASE == 54
  jobs::start(task_of_a_number());
#elif CASE == 55
  const jobs::JobHandle job = jobs::spawn_after(5, [] {});
#elif CASE == 56
  const jobs::JobHandle job = jobs::spawn_after(std::chrono::milliseconds(5), [] {});
#elif CASE == 57
  const jobs::JobHandle job = jobs::spawn_at(5, [] {});
#elif CASE == 58
  const jobs::JobHandle job = jobs::spawn_at(std::chrono::milliseconds(5), [] {});
#elif CASE == 59
  jobs::cancel_after(5, [] {});
#elif CASE == 60
  const int result = jobs::move_on_after(5, [] { return 1; }, 2);
#elif CASE == 61
  // Nothing says what it returns after the limit.
  const int result = jobs::move_on_after(std::chrono::milliseconds(5), [] { return 1; });
#elif CASE == 62
  jobs::select(event, done);
#elif CASE == 63
  jobs::select(event.on_signal(), stop.get_token());
#elif CASE == 64
  const auto first = jobs::try_select(event);
#elif CASE == 65
  const auto first = jobs::select_for(5, event.on_signal());
#elif CASE == 66
  const auto first = jobs::select_until(std::chrono::milliseconds(5), event.on_signal());
#elif CASE == 67
  jobs::parallel_inclusive_scan(vector, vector);
#elif CASE == 68
  jobs::parallel_exclusive_scan(vector, vector.begin());
#elif CASE == 69
  jobs::parallel_transform_inclusive_scan(vector, vector, std::plus(), std::identity());
#elif CASE == 70
  jobs::parallel_transform(vector, vector, std::identity());
#elif CASE == 71
  jobs::parallel_copy_if(vector, vector, [](int) { return true; });
#elif CASE == 72
  jobs::parallel_merge(vector, vector, vector);
#elif CASE == 73
  std::vector<std::pair<int, int>> pairs;
  jobs::parallel_radix_sort(pairs);
#elif CASE == 74
  std::vector<std::list<int>> values;
  jobs::parallel_sort_by_key(vector, values);
#elif CASE == 75
  const auto found = jobs::parallel_find(vector.begin(), vector.end(), 1);
#elif CASE == 76
  jobs::parallel_for_each(vector.begin(), vector.end(), [](int) {});
#elif CASE == 77
  const int sum = jobs::parallel_reduce(0, 10, 0, std::plus());
#elif CASE == 78
  const int sum = jobs::parallel_reduce(0, 10, std::plus(), [](int i) { return i; }, 0);
#elif CASE == 79
  const int sum = jobs::parallel_reduce(0, 10, 0, std::plus(), [](int i) { return i; }, 4);
#elif CASE == 80
  const int sum = jobs::parallel_reduce(vector);
#elif CASE == 81
  const int sum = jobs::parallel_reduce(vector.begin(), vector.end(), 0);
#elif CASE == 82
  const int sum = jobs::parallel_transform_reduce(0, 10, 0, std::plus(), std::identity());
#elif CASE == 83
  const int sum = jobs::parallel_transform_reduce(vector, 0, std::identity(), std::plus());
#elif CASE == 84
  jobs::Fiber wrong([] {}, "name");
#elif CASE == 85
  jobs::Fiber<int> wrong("name", [] { return 1; });
#elif CASE == 86
  // a lambda passes the 5
  jobs::Fiber wrong([](int) {}, 5);
#elif CASE == 87
  const auto wrong = jobs::async(std::launch::async, [] { return 1; });
#elif CASE == 88
  const auto wrong = jobs::async([] { return 1; }, "name");
#elif CASE == 89
  jobs::TaskGraph().node([](int) {}, 5);
#elif CASE == 90
  jobs::TaskGraph graph;
  const auto one = graph.node([] { return 1; });
  graph.node([](int) {}, one);
#elif CASE == 91
  jobs::TaskGraph().node("name", [] {});
#elif CASE == 92
  // precede() makes an edge without a result
  jobs::TaskGraph graph;
  const jobs::TaskGraph::Node node = graph.node([] {});
  graph.node([] {}, "name", node);
#elif CASE == 93
  jobs::TaskGraph().condition([](int i) { return i; }, 5);
#elif CASE == 94
  // 0 is an int, so each step would drop the half
  const double sum = jobs::parallel_reduce(0, 10, 0, std::plus(), [](int i) { return 0.5 * i; });
#elif CASE == 95
  const double sum = jobs::parallel_reduce(0, 10, 0, std::plus(), [](int, int) { return 0.5; });
#elif CASE == 96
  const double sum = jobs::parallel_reduce(numbers, 0, std::plus(), std::plus());
#elif CASE == 97
  const double sum = jobs::parallel_reduce(numbers, 0);
#elif CASE == 98
  const double sum = jobs::parallel_transform_reduce(numbers, 0L, std::plus(), std::identity());
#elif CASE == 99
  jobs::parallel_exclusive_scan(numbers, numbers.begin(), 0);
#elif CASE == 100
  jobs::parallel_inclusive_scan(numbers, numbers.begin(), 0, std::plus());
#elif CASE == 101
  jobs::parallel_transform_exclusive_scan(numbers, numbers.begin(), 0, std::plus(),
                                          std::identity());
#elif CASE == 102
  jobs::parallel_transform_inclusive_scan(numbers, numbers.begin(), 0, std::plus(),
                                          std::identity());
#elif CASE == 103
  // the maximum of the values is an int
  const double most = jobs::parallel_reduce(
      0, 10, 0, [](double a, double b) { return a < b ? b : a; }, [](int i) { return i; });
#elif CASE == 104
  jobs::parallel_for(10, [](int) {});
#elif CASE == 105
  jobs::parallel_for(size, [](std::size_t) {}, jobs::Grain(4));
#elif CASE == 106
  jobs::spawn([] {}, done);
#elif CASE == 107
  jobs::spawn(done, [] {}, 5);
#elif CASE == 108
  scheduler.spawn([] {}, done);
#elif CASE == 109
  jobs::Barrier barrier(2, [] {});
#elif CASE == 110
  jobs::Barrier barrier(2, 5);
#elif CASE == 111
  jobs::Scheduler four(4);
#elif CASE == 112
  jobs::Scheduler four(4, true);
#elif CASE == 113
  jobs::Fiber wrong({.name = "name"}, [] {});
#elif CASE == 114
  const auto wrong = jobs::async({.name = "name"}, [] { return 1; });
#elif CASE == 115
  jobs::call_once(5, [] {});
#elif CASE == 116
  std::once_flag flag;
  jobs::call_once(flag, [] {});
#elif CASE == 117
  const int result = jobs::blocking([](int i) { return i; }, 5);
#endif

  event.signal();
  fiber.join();
  done.wait();
}
