// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The examples of jobs/interop/tbb.hpp: the names of oneTBB. Returns 0 if each has the expected
// result.
#include "jobs/interop/tbb.hpp"

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

bool loops() {
  std::vector<float> x(1000, 1.0f);
  //! [loops]
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, x.size()),
                    [&](const tbb::blocked_range<std::size_t>& part) {
                      for (std::size_t i = part.begin(); i != part.end(); ++i) x[i] *= 2;
                    });
  const float sum = tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, x.size()), 0.0f,
      [&](const tbb::blocked_range<std::size_t>& part, float start) {
        for (std::size_t i = part.begin(); i != part.end(); ++i) start += x[i];
        return start;
      },
      std::plus<>());
  //! [loops]
  return sum == 2000.0f;
}

bool tasks() {
  std::atomic<int> finished{0};
  //! [tasks]
  tbb::task_group group;
  group.run([&] { ++finished; });
  group.run([&] { ++finished; });
  group.wait();
  //! [tasks]
  return finished == 2;
}

bool pipeline() {
  std::vector<int> squares;
  int next = 0;
  //! [pipeline]
  tbb::parallel_pipeline(
      8, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [&](tbb::flow_control& control) {
                                       if (next == 10) control.stop();
                                       return next++;
                                     }) &
             tbb::make_filter<int, int>(tbb::filter_mode::parallel, [](int i) { return i * i; }) &
             tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                         [&](int square) { squares.push_back(square); }));
  //! [pipeline]
  return squares.size() == 10 && squares.back() == 81;
}

bool observer() {
  //! [observer]
  struct Naming : tbb::task_scheduler_observer {
    using task_scheduler_observer::task_scheduler_observer;
    ~Naming() override { observe(false); }
    void on_scheduler_entry(bool /*is_worker*/) override { ++named; }
    std::atomic<int> named{0};
  };
  tbb::task_arena arena(1);
  Naming naming(arena);
  naming.observe();
  arena.execute([] {});
  //! [observer]
  return naming.named == 1;
}

bool arena() {
  //! [arena]
  tbb::task_arena arena(2);  // for two workers besides those of the default arena
  const int workers = arena.execute([] { return tbb::this_task_arena::max_concurrency(); });
  //! [arena]
  return workers == 2;
}

bool thread_specific() {
  //! [thread_specific]
  tbb::enumerable_thread_specific<int> counts(0);
  tbb::parallel_for(0, 1000, [&](int) { ++counts.local(); });
  const int total = counts.combine(std::plus<>());
  //! [thread_specific]
  return total == 1000;
}

}  // namespace

int main() {
  const bool all_passed =
      loops() && tasks() && pipeline() && arena() && observer() && thread_specific();
  std::puts(all_passed ? "all examples passed" : "an example failed");
  return all_passed ? 0 : 1;
}
