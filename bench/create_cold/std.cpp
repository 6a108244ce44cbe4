// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// create_cold by std::thread, and by the page faults alone.
#include <sys/mman.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "bench/create_cold/workload.hpp"
#include "bench/support/stopwatch.hpp"

namespace bench::create_cold {

Figures on_threads(const Conditions&) {
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<bool> released{false};
  std::atomic<std::int64_t> ended{0};
  const Stopwatch stopwatch;
  for (std::int64_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      released.wait(false);
      ++ended;
    });
  }
  released = true;
  released.notify_all();
  for (std::thread& thread : threads) thread.join();
  const double ns = stopwatch.elapsed_ns();
  expect_equal(kThreads, ended.load());
  return {ns / kThreads};
}

Figures page_faults(const Conditions&) {
  constexpr std::size_t kSize = kFibers * kStackSize;
  void* const memory = mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, kSize, MADV_NOHUGEPAGE);
  auto* const stacks = static_cast<volatile char*>(memory);
  const Stopwatch stopwatch;
  for (std::size_t at = kStackSize; at <= kSize; at += kStackSize) stacks[at - 64] = 1;
  const double ns = stopwatch.elapsed_ns();
  munmap(memory, kSize);
  return {ns / kFibers};
}

}  // namespace bench::create_cold
