// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A program for scripts/gdb/jobs.py to look at: a fiber waits when it stops. It knows the library's types, for the debugger.
#include <csignal>
#include <thread>

#include "jobs/fiber.hpp"
#include "jobs/runtime/core_list.hpp"
#include "jobs/runtime/scheduler_core.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/sync/event.hpp"

namespace {

[[gnu::noinline]] void wait_for_the_bell(jobs::Event& bell) {
  bell.wait();
  asm volatile("");  // no tail call
}

}  // namespace

int main() {
  jobs::Event bell;
  jobs::Scheduler scheduler({.worker_count = 2});
  jobs::Fiber<> sexton =
      scheduler.run([&] { return jobs::Fiber<>([&] { wait_for_the_bell(bell); }, {.name = "sexton"}); });
  while (sexton.state() != jobs::FiberState::kWaiting) std::this_thread::yield();
  jobs::detail::SchedulerCore* core = nullptr;
  jobs::detail::CoreList::instance().for_each([&core](jobs::detail::SchedulerCore& only) { core = &only; });
  if (core != nullptr) std::raise(SIGTRAP);  // the debugger takes over
  bell.signal();
  sexton.join();
}
