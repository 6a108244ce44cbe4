// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// mutex by std::mutex.
#include <mutex>
#include <thread>
#include <vector>

#include "bench/mutex/workload.hpp"

namespace bench::mutex {

Figures uncontended_on_std(const Conditions&) {
  // The C library omits the atomics until a process has had a second thread.
  std::jthread([] {}).join();
  return {uncontended_ns<std::mutex>()};
}

Figures shared_on_std(const Conditions&) {
  return {shared_ns([] {
    std::mutex mutex;
    std::int64_t counter = 0;
    {
      std::vector<std::jthread> parties;
      for (std::int64_t party = 0; party < kParties; ++party) {
        parties.emplace_back([&] { count(mutex, kLocksEach, counter); });
      }
    }
    return counter;
  })};
}

}  // namespace bench::mutex
