// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A program for scripts/gdb/jobs.py: two fibers wait when it stops, one of them on a large stack.
// It knows the library's types, for the debugger.
#include <csignal>
#include <thread>

#include "jobs/fiber.hpp"
#include "jobs/runtime/scheduler/core_list.hpp"
#include "jobs/runtime/scheduler/scheduler_core.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/sync/event.hpp"

namespace {

[[gnu::noinline]] void wait_for_the_bell(jobs::Event& bell) {
  bell.wait();
  asm volatile("");  // prevents a tail call
}

}  // namespace

int main() {
  jobs::Event bell;
  jobs::Scheduler scheduler({.worker_count = 1});
  const auto start = [&](const jobs::FiberOptions& options) {
    jobs::Fiber<> fiber =
        scheduler.run([&] { return jobs::Fiber<>([&bell] { wait_for_the_bell(bell); }, options); });
    while (fiber.state() != jobs::FiberState::kWaiting) std::this_thread::yield();
    return fiber;
  };
  jobs::Fiber<> sexton = start({.name = "sexton"});
  jobs::Fiber<> bishop = start({.name = "bishop", .stack_size = std::size_t{1} << 20});
  jobs::detail::SchedulerCore* core = nullptr;
  jobs::detail::CoreList::instance().for_each(
      [&core](jobs::detail::SchedulerCore& only) { core = &only; });
  if (core != nullptr) std::raise(SIGTRAP);  // the debugger takes over
  bell.signal();
  sexton.join();
  bishop.join();
}
