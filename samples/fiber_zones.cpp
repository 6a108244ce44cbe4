// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The hooks of fiber switches, as profilers with fibers want them. Tracy has a track for each
// thread. `TracyFiberEnter(name)` moves the zones of the calling thread to the track of a fiber,
// until `TracyFiberLeave`. Here a small recorder stands for Tracy: it checks that each zone ends on
// the track on which it began, although fibers wait inside of zones and other fibers run meanwhile.
#include <atomic>
#include <cstdint>
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

// Stands for the profiler.
namespace profiler {

thread_local const char* track = "thread";
std::atomic<int> enters{0};
std::atomic<int> broken_zones{0};

void fiber_enter(const char* name) {
  track = name;
  ++enters;
}
void fiber_leave() { track = "thread"; }

class Zone {
 public:
  Zone() = default;
  ~Zone() {
    if (track != began_) ++broken_zones;
  }
  Zone(const Zone&) = delete;
  Zone& operator=(const Zone&) = delete;

 private:
  const char* const began_ = track;
};

}  // namespace profiler

// Tracy identifies a fiber by the address of its name, which must stay valid.
class FiberNames {
 public:
  const char* of(jobs::FiberId id) {
    const std::scoped_lock lock(mutex_);
    const auto number = static_cast<std::uint64_t>(id);
    const auto [entry, is_new] = names_.try_emplace(number);
    if (is_new) entry->second = "fiber " + std::to_string(number);
    return entry->second.c_str();
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> names_;
};

jobs::SchedulerOptions with_fiber_tracks(FiberNames& names) {
  return {.on_suspend = [](jobs::FiberId) { profiler::fiber_leave(); },
          .on_resume = [&names](jobs::FiberId id) { profiler::fiber_enter(names.of(id)); }};
}

}  // namespace

int main() {
  FiberNames names;  // outlives the scheduler
  jobs::Scheduler scheduler(with_fiber_tracks(names));
  scheduler.run([] {
    jobs::Event start;
    std::vector<jobs::Fiber<void>> fibers;
    for (int i = 0; i < 50; ++i) {
      fibers.emplace_back([&start] {
        const profiler::Zone whole;
        start.wait();
        for (int turn = 0; turn < 20; ++turn) {
          const profiler::Zone inner;
          jobs::yield();
        }
      });
    }
    start.signal();
    for (jobs::Fiber<void>& fiber : fibers) fiber.join();
  });
  scheduler.shutdown();
  std::cout << profiler::enters << " times on the track of a fiber, " << profiler::broken_zones
            << " zones on two tracks\n";
  return profiler::enters > 50 && profiler::broken_zones == 0 ? 0 : 1;
}
