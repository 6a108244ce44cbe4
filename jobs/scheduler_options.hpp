// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// SchedulerOptions configures a Scheduler.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/fiber_state.hpp"

namespace jobs::inline JOBS_ABI {

struct Report;
class JobHooks;

/// When the jobs and Fibers of a Scheduler start, and on which threads.
enum class SchedulerMode : std::uint8_t {
  /// When a worker takes them. A job that waits suspends its fiber, and its worker runs other jobs.
  kFibers,
  /// At once, on the thread that spawns them, before spawn() returns.
  ///
  /// The mode is for debugging and for comparisons: the program has one thread for jobs, and its
  /// jobs run in the order in which they are spawned, in each run. A job runs until its end or its
  /// first wait; then its spawner continues. So a job may wait for its spawner, except for a lock
  /// of another library that the spawner owns.
  ///
  /// The constructing thread is the only worker (`bind_caller`, `worker_count` = 1). Runs of graphs
  /// and tasks start at once, too. Parts of loops and of fork_join() run in the order of a serial
  /// program. These jobs start later, as they do with one worker: jobs with a place or a priority,
  /// jobs with dependencies, jobs that another thread spawns, and jobs that are spawned under a
  /// SpinLock or by more than 256 jobs inside of each other.
  kInline,
  /// Each job on a thread of its own, as soon as a worker has passed it to the thread.
  ///
  /// The mode is for debugging and for comparisons. A wait in a job blocks its thread. So a
  /// debugger shows a job as a thread, and `thread_local` variables belong to one job at a time. A
  /// job is a caller from outside: jobs::worker_index() finds no worker, and the workers help with
  /// the loops and graphs of the job. A job takes 10 to 30 us.
  ///
  /// It holds for jobs of spawn() and of Scheduler::run() without a place or a priority. The other
  /// kinds of work run as in kFibers: Fibers, nodes of graphs, parts of loops, jobs with
  /// dependencies. `extra_callers` is included. Up to 64 jobs have a thread at a time, and at most
  /// `max_blocking_threads`. Further jobs run as in kFibers, so that no job waits for a thread.
  kThreads,
};

/// Options of a Scheduler.
///
/// A value out of range makes the constructor of Scheduler throw Error(kBadArgument).
struct SchedulerOptions {
  /// Number of threads that run jobs, at most 4096; 0 selects it automatically.
  ///
  /// The automatic number is JOBS_NUM_WORKERS if this variable is set. Otherwise it is min(CPUs in
  /// the affinity mask, ceil(CPU quota)), and it is a maximum: while mask or quota are smaller than
  /// at the start, the last workers are retired, except for jobs that only they may run.
  /// Scheduler::worker_count() does not change. An explicit number is honoured, even if it exceeds
  /// the number of CPUs.
  unsigned worker_count = 0;
  /// true: the constructing thread becomes worker 0.
  ///
  /// Otherwise all workers are new threads. If true, worker_count - 1 threads start. The bound
  /// thread serves jobs while it waits, so with `worker_count` = 1 there is no other thread at all.
  /// A loop of frames without waits calls Scheduler::run_main_thread_jobs() then.
  /// Only the bound thread may shut the scheduler down.
  bool bind_caller = false;
  /// Number of workers without threads of their own, for Scheduler::bind_current_thread().
  ///
  /// They are the workers 0 to bound_threads - 1, and `bind_caller` binds the first of them. They
  /// count in `worker_count`, which is at least this number. If no worker has a thread of its own,
  /// jobs wait until a thread is bound, and waits.
  unsigned bound_threads = 0;
  /// true: external threads compute beside all workers, not in place of one.
  ///
  /// An external thread takes part in each loop, graph and pipeline that it calls. Meanwhile, one
  /// worker more stays asleep, so that `worker_count` threads compute. With true, all workers take
  /// part, too: `worker_count` is then the number of CPUs less the number of threads that call.
  bool extra_callers = false;
  /// When jobs and Fibers start, and on which threads.
  ///
  /// SchedulerMode::kInline includes `bind_caller` and one worker: another `worker_count` than 0 or
  /// 1 is out of range, and so are more `bound_threads` than 1.
  ///
  /// @snippet scheduling.cpp scheduler_mode
  /// @snippet scheduling.cpp job_threads
  SchedulerMode mode = SchedulerMode::kFibers;
  /// Bytes of stack for jobs and for Fibers without a size, from 16 KiB to 1 GiB.
  ///
  /// The size is rounded up to pages. It is address space: memory comes page by page at the first
  /// access. FiberOptions::stack_size sets the sizes of other Fibers.
  std::size_t stack_size = 256 * 1024;
  /// Largest number of fibers on stacks of all sizes; 0: the limit of the machine.
  ///
  /// A wait or Fiber that needs one more fiber throws Error(kNoStack), and has no effect.
  std::size_t max_fibers = 0;
  /// Idle stacks that each worker keeps per size; 0 and 1 mean 2.
  ///
  /// Of a larger number, half return to the scheduler, for any worker.
  std::size_t max_idle_stacks = 1024;
  /// true: surplus idle stacks release their memory to the system at once.
  ///
  /// The release costs 1 us per stack. Scheduler::trim() does it for all idle stacks.
  bool trim_stacks = false;
  /// Sampling interval: measures the stack use of one in N fibers per creation site.
  ///
  /// The first 16 fibers of a site are measured in any case. 0: none. A measured fiber costs 2 to 3
  /// us, any other about 20 ns. Scheduler::stack_use() returns the figures.
  unsigned measure_stacks = 0;
  /// true: a Fiber without a `stack_size` gets the measured size of its site.
  ///
  /// The size is the smallest one that leaves one third free above the largest measured use of the
  /// creation site. Until 16 fibers were measured, it is that of a job. The option suits Fibers
  /// that need about as much stack as other Fibers of their site: a Fiber that needs far more
  /// overflows its stack. If `measure_stacks` is 0, one in 64 fibers is measured.
  ///
  /// A Fiber that the standard library constructs, as emplace_back() and std::make_unique() do, has
  /// the size of a job: its creation site is a line of the standard library.
  bool automatic_stacks = false;
  /// true: a guard page lies below each stack.
  ///
  /// Without it an overflow overwrites another stack. false is for kernels before Linux 6.13 that
  /// need more stacks than `vm.max_map_count` allows guard pages.
  bool guard_stacks = true;
  /// true: binds each worker to one core, nearest cores first.
  ///
  /// The bound caller is not affected.
  bool pin_workers = false;
  /// true: binds each worker to the cores of one memory node (NUMA).
  ///
  /// The bound caller is not affected. The option has no effect on machines with one node. With it,
  /// or with `pin_workers`, the memory of a worker lies on its node: stacks, memory of jobs, its
  /// deque.
  bool pin_to_nodes = false;
  /// Returns the CPUs that a worker may run on, by the index of the worker.
  ///
  /// The numbers are those of the operating system. A worker with an empty result may run on any
  /// CPU. The constructor of Scheduler calls the function once for each worker, except for the
  /// bound caller, and passes its exceptions on. It throws Error(kBadArgument) if the process may
  /// not use one of the CPUs, or if `pin_workers` or `pin_to_nodes` is set, too. While the sets
  /// together have fewer CPUs than an automatic number of workers, the last workers are retired.
  std::function<std::vector<unsigned>(unsigned)> worker_cpus = {};
  /// Share of its time that a worker may spin in vain, from 0 to 1.
  ///
  /// A worker without work spins before it sleeps, because a wake-up takes 5 to 50 us. It learns
  /// the rhythm of work that comes in bursts: it then sleeps first, and spins shortly before the
  /// next burst. Time is in vain if no work arrives in it. 0: workers sleep after 2 us. An idle
  /// program takes no CPU time with any value.
  double spin_budget = 0.1;
  /// Largest number of workers that run background jobs at a time.
  ///
  /// It is a budget for work of Priority::kBackground: jobs, Fibers, graph nodes and the workers
  /// that help a loop. A worker counts from the begin of a background job until the job ends or
  /// waits, so a background job may wait for other background jobs. Three kinds do not count: what
  /// continues after a wait, jobs for one worker, and jobs that a wait lifts (Priority). 0: the
  /// value of JOBS_BACKGROUND_WORKERS; without the variable no limit.
  unsigned max_background_workers = 0;
  /// Largest share of the time of all workers that background jobs take, above 0 and up to 1.
  ///
  /// It is the same budget as `max_background_workers`, in time; both hold. At most share times
  /// workers, rounded up, run background jobs at a time. If they have taken more than the share, no
  /// background job begins until the mean is the share again. A job that has begun continues, and
  /// its time counts; the members of a background loop leave the loop meanwhile. An interval may
  /// have more than its share: what the share earns in 10 ms, and the rest of jobs that have begun.
  /// Time without background jobs earns nothing. The budget holds for an idle machine, too. While
  /// background jobs wait for it, each idle worker wakes up about 100 times a second. 1: no limit.
  double max_background_share = 1;
  /// Largest number of threads that run the functions of blocking(), at least 1.
  ///
  /// Threads start on demand. Further calls wait for their turn. A thread ends after it has been
  /// idle for 5 s. There is no cost before the first call.
  unsigned max_blocking_threads = 256;
  /// Receives the exceptions of detached jobs, on the worker that ran the job.
  ///
  /// It also receives an exception that no wait has rethrown, on the thread that releases the last
  /// JobHandle, or that detaches or destroys the Fiber, perhaps after the end of the scheduler. A
  /// failed Fiber has a copy of the function. It must not throw. Empty: std::terminate.
  std::function<void(std::exception_ptr)> on_unhandled = {};
  /// Called on the worker when a fiber, or a job that waits, stops running.
  ///
  /// The end of a Fiber counts, too. The function must not throw, wait or spawn. Empty: one test of
  /// a pointer per switch.
  std::function<void(FiberId)> on_suspend = {};
  /// Called on the worker when a fiber, or a job that waited, starts to run again.
  ///
  /// The begin of a Fiber counts, too. The function must not throw, wait or spawn. Empty: one test
  /// of a pointer per switch.
  std::function<void(FiberId)> on_resume = {};
  /// Called on a worker, with its index, each time before it sleeps.
  ///
  /// The function must not throw, wait or spawn.
  std::function<void(unsigned)> on_idle = {};
  /// Called on the thread of each worker, with the index of the worker, before its first job.
  ///
  /// It is for set-up that belongs to a thread: profilers, COM, a floating-point mode of a foreign
  /// library. Hooks of several workers run concurrently, and jobs may run before all hooks have
  /// returned. For the bound caller, the constructor of Scheduler calls it. The function must not
  /// throw or use this library.
  std::function<void(unsigned)> on_worker_start = {};
  /// Called on the thread of each worker, with the index of the worker, after its last job.
  ///
  /// There is one call for each call of `on_worker_start`, on the same thread. For the bound
  /// caller, Scheduler::shutdown() calls it; for a ThreadBinding, its end. Both hooks have returned
  /// when shutdown() returns. The default scheduler stops by shutdown_default(), not at the end of
  /// the program. The function must not throw or use this library.
  std::function<void(unsigned)> on_worker_stop = {};
  /// Hooks at the begin and the end of jobs and waits, and around Fibers (`jobs/job_hooks.hpp`).
  ///
  /// They must outlive the scheduler. Null: no hooks, and no cost.
  JobHooks* job_hooks = nullptr;
  /// true: FiberInfo::run_time is measured.
  ///
  /// The measurement takes two clock readings per switch, about 50 ns.
  bool account_run_time = false;
  /// Time at rest after which the scheduler reports a possible deadlock.
  ///
  /// The scheduler makes the report if fibers wait and all workers have been idle for this time. No
  /// deadline may be armed, and no blocking() and no input in progress. The report states the
  /// object of each wait and its owner, the cycle of fibers that wait for each other if there is
  /// one, and back-traces. A thread or another scheduler may still wake the fibers, so the
  /// scheduler only reports.
  ///
  /// 0: the value of JOBS_DEADLOCK_MS, a whole number of milliseconds; without the variable never.
  /// `milliseconds::max()`: never. Cost: a thread that checks four times in this time, one store
  /// per job, and one clock reading per switch, about 25 ns.
  std::chrono::milliseconds deadlock_after{0};
  /// Time after which the scheduler reports a job that keeps its worker.
  ///
  /// The job or fiber has run for this time without a switch, a wait or a yield. It is reported
  /// once each time. 0: the value of JOBS_STALL_MS; without the variable never.
  /// `milliseconds::max()`: never. Cost: the thread and the store of `deadlock_after`.
  std::chrono::milliseconds stall_after{0};
  /// Time after which Scheduler::shutdown() reports once what it waits for.
  ///
  /// The destructor of a Scheduler and shutdown_default() report, too; calls with a deadline do
  /// not. The report names the Fibers and jobs that have not ended, their creation sites and their
  /// waits. The shutdown continues to wait. 0: the value of JOBS_SHUTDOWN_MS; without the variable
  /// 10 s. `milliseconds::max()`: never.
  std::chrono::milliseconds shutdown_report_after{0};
  /// Receives these reports, on a thread of the scheduler, or on the thread that shuts it down.
  ///
  /// It must not throw, wait for jobs or shut the scheduler down, but it may abort. Empty: reports
  /// go to the standard error.
  std::function<void(const Report&)> on_report = {};
  /// Time that maybe_yield() lets a job or fiber run before it yields; 0 or less: every call yields
  /// but the first one after a wait.
  std::chrono::microseconds time_slice{1000};
};

}  // namespace jobs::inline JOBS_ABI
