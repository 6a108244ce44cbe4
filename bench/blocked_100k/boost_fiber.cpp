// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// 100,000 fibers of Boost.Fiber on one thread that wait for a condition variable. Stacks of 16 KiB
// without guard pages, from malloc: Boost's cheapest stacks. Its protected stacks end at
// vm.max_map_count.
#include <boost/fiber/all.hpp>

#include "bench/blocked_100k/workload.hpp"
#include "bench/support/process.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::blocked_100k {

Figures on_boost_fiber(const Conditions&) {
  forget_freed_memory();
  constexpr std::size_t kStackSize = 16 * 1024;
  std::int64_t waiting = 0;
  std::int64_t finished = 0;
  bool released = false;
  boost::fibers::mutex mutex;
  boost::fibers::condition_variable release;
  const double kib_before = resident_kib();
  const Stopwatch stopwatch;
  for (std::int64_t i = 0; i < kFibers; ++i) {
    boost::fibers::fiber(std::allocator_arg, boost::fibers::fixedsize_stack(kStackSize), [&] {
      std::unique_lock lock(mutex);
      ++waiting;
      release.wait(lock, [&] { return released; });
      ++finished;
    }).detach();
  }
  while (waiting < kFibers) boost::this_fiber::yield();
  const double ns = stopwatch.elapsed_ns();
  const double kib = resident_kib() - kib_before;
  {
    const std::lock_guard lock(mutex);
    released = true;
  }
  release.notify_all();
  while (finished < kFibers) boost::this_fiber::yield();
  return {ns / kFibers, kib / kFibers};
}

}  // namespace bench::blocked_100k
