// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public: how a scheduler is set up, and what it reports. Include jobs/scheduler.hpp to use them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

// Of a Fiber: unique in the process, never used again. 0: none.
enum class FiberId : std::uint64_t {};

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

// What the Fibers that were created at one place in the program need of their stacks.
struct StackUse {
  std::string file;            // where that is
  unsigned line = 0;           //
  std::uint64_t fibers = 0;    // created there so far
  std::uint64_t measured = 0;  // of those: measured, and ended
  std::size_t peak = 0;  // bytes that the one that needed most needed, at most a page too many; 0: none was measured
  std::size_t stack_size = 0;  // bytes that the next one gets if it asks for nothing
};

// Sums over all workers since the start (max_...: the greatest). Each figure is exact, but they are not taken at the same instant.
struct Stats {
  std::uint64_t jobs = 0;    // started by a worker's loop; children that fork_join ran in place are not counted
  std::uint64_t steals = 0;  // jobs taken from another's deque
  // Of those: from workers of other memory nodes. Counted if workers are bound (pin_workers, pin_to_nodes) and there are several.
  std::uint64_t remote_steals = 0;
  std::uint64_t raids = 0;     // deques opened to thieves from outside, as their owner computed and did not look
  std::uint64_t switches = 0;  // from one fiber to another
  std::uint64_t parks = 0;     // workers going to sleep
  std::uint64_t overruns = 0;  // maybe_yield() found the time slice used up
  std::uint64_t idle_ns = 0;   // time that workers spent searching or parked, in nanoseconds
  // Deadlines of waits and sleeps that have passed. They are served by the worker itself, between two jobs: its longest job is
  // the bound of their lateness. Those of external threads are not counted.
  std::uint64_t timeouts = 0;
  std::uint64_t late_timeouts = 0;     // ... more than 1 ms late
  std::uint64_t max_lateness_ns = 0;   // the latest, in nanoseconds
  std::uint64_t blocking_calls = 0;    // of blocking(), those that went to a thread
  std::uint64_t blocking_threads = 0;  // threads for them that exist now
  std::uint64_t active_workers = 0;    // not resting because the machine grants less than at the start
  // How often, and for how many nanoseconds, the process or its container was stopped for having used up its CPU quota (cpu.stat), as seen by
  // a worker that looks at most ten times a second, and only if somebody works.
  std::uint64_t throttled_periods = 0;
  std::uint64_t throttled_ns = 0;
  std::size_t fibers = 0;       // fibers that exist, idle ones included
  std::size_t fibers_idle = 0;  // fibers in the pools
  // Memory that the workers hold for the closures of spawned jobs and for memory_resource(), in bytes: it grows to what was in use at
  // a time.
  std::size_t slab_bytes = 0;
  // Closures and blocks that workers took from the heap, because they are too large for that.
  std::uint64_t heap_blocks = 0;
};

}  // namespace jobs::inline JOBS_ABI
