// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public: how a scheduler is set up. Include jobs/scheduler.hpp to use it.
#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>

#include "jobs/base/config.hpp"
#include "jobs/fiber_state.hpp"

namespace jobs::inline JOBS_ABI {

struct Report;  // jobs/report.hpp

struct SchedulerOptions {
  // Threads that run jobs. 0: JOBS_NUM_WORKERS if it is set, else min(CPUs in the affinity mask, ceil(CPU quota)); that number is the
  // most then: while mask or quota are smaller than at the start, the last workers rest, but for what only they may run, and
  // worker_count() stays. A number that was asked for is honoured, also above that of the CPUs. At most 4096.
  unsigned worker_count = 0;
  // true: the constructing thread is worker 0, and worker_count - 1 threads start. It serves jobs while it waits, so with
  // worker_count = 1 there is no other thread at all. Only that thread may shut the scheduler down.
  bool bind_caller = false;
  // Bytes of stack for jobs, and for Fibers that ask for none: address space, rounded up to pages, of 16 KiB to 1 GiB; memory comes
  // page by page when touched. FiberOptions::stack_size has the sizes for others.
  std::size_t stack_size = 256 * 1024;
  // Fibers that exist at a time, on stacks of all sizes; 0: only the machine's limit. Beyond it the wait or Fiber that needs one throws
  // Error(kNoStack), and nothing has changed.
  std::size_t max_fibers = 0;
  // Idle stacks that each worker keeps of each size; of more than that half go back to the scheduler, for any worker. At least 2.
  std::size_t max_idle_stacks = 1024;
  // true: stacks that workers have too many of give their memory back to the system at once, 1 us each. Scheduler::trim() does it for
  // all that are idle.
  bool trim_stacks = false;
  // How many Fibers of each place in the program that creates some there are to one whose use of the stack is measured; the first 16
  // are in any case. 0: none. Costs 2 to 3 us for each that is measured, some 20 ns for the others. Scheduler::stack_use() has the
  // figures.
  unsigned measure_stacks = 0;
  // true: a Fiber that asks for no stack_size gets the smallest size that leaves the most that was measured of its place one third
  // free, or the stack of a job before 16 were measured. For Fibers that need about as much as others of their place: one that needs far more
  // overflows. If measure_stacks is 0, one in 64 is measured.
  bool automatic_stacks = false;
  // false: nothing lies between stacks, and an overflow overwrites another one. For kernels before Linux 6.13 that need more stacks
  // than vm.max_map_count allows guards.
  bool guard_stacks = true;
  // Binds each worker to one core, nearest first. The bound caller is left alone.
  bool pin_workers = false;
  // Binds each worker to the cores of one memory node (NUMA), the bound caller excepted; nothing on machines with one node. So does
  // pin_workers. What a worker owns lies on its node then: stacks, memory of jobs, its deque.
  bool pin_to_nodes = false;
  // Threads that run the functions of blocking(), at a time: they start when needed, more calls wait for their turn, and a thread
  // ends when it has been idle for 5 s. At least 1. Cost: none until the first call.
  unsigned max_blocking_threads = 256;
  // Gets the exceptions of detached jobs, on the worker that ran the job; must not throw. Empty: std::terminate.
  std::function<void(std::exception_ptr)> on_unhandled = {};
  // Called on the worker when a fiber, or a job that waits, stops running or goes on; a Fiber's begin and end count too. They
  // must not throw, wait or spawn. Unset: one test of a pointer for each switch.
  std::function<void(FiberId)> on_suspend = {};
  std::function<void(FiberId)> on_resume = {};
  // Called on a worker, with its index, each time before it goes to sleep. The same rules.
  std::function<void(unsigned)> on_idle = {};
  // true: FiberInfo::run_time is measured, by two looks at the clock for each switch (some 50 ns).
  bool account_run_time = false;
  // A report (jobs/report.hpp) when the scheduler has come to rest, and nothing that it knows of can end that: for so long all
  // workers are idle, no deadline is armed, no blocking() and no input under way, and fibers wait. Who waits for what, who holds it,
  // the round in which they wait for each other if there is one, back-traces. A thread or another scheduler may still wake them, so
  // it is only a report. 0: as JOBS_DEADLOCK_MS says (a whole number of milliseconds), else never; milliseconds::max(): never.
  // Cost: a thread that looks four times in that time, a store for each job, a look at the clock for each switch (some 25 ns).
  std::chrono::milliseconds deadlock_after{0};
  // A report when one job or fiber has kept its worker for so long without a switch, a wait or a yield: once each time. 0: as
  // JOBS_STALL_MS says, else never; milliseconds::max(): never. Cost: that thread and that store.
  std::chrono::milliseconds stall_after{0};
  // Gets those reports, on a thread of the scheduler; must not throw, wait for jobs or shut the scheduler down, but may abort.
  // Empty: they go to the standard error.
  std::function<void(const Report&)> on_report = {};
  // How long maybe_yield() lets a job or fiber run before it yields.
  std::chrono::microseconds time_slice{1000};
};

}  // namespace jobs::inline JOBS_ABI
