// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What a thread outside of all arenas calls. Any such thread may call these functions.
//
// The thread takes part in its algorithm beside the workers, so the algorithm begins at once. One
// thread more than max_concurrency() may then run bodies. Programs see the difference by the number
// of thread-specific values, and by the indices of threads, which they use for arrays of this size.
// So a call of current_thread_index() in the program excludes the caller. The algorithm then runs
// on workers alone, and the calling thread waits. Such a call takes a wake-up of a worker more.
//
// A limit of global_control counts the caller: there is one worker less. With a limit of 1, the
// only worker runs the algorithm, because it also runs tasks that the program enqueues.
//
// As in oneTBB, the call makes progress even if all workers are blocked, for instance by a lock
// that the calling thread owns. If no worker has taken the call after 10 ms, the calling thread
// takes it back. It becomes worker 0 of a scheduler of its own, and runs the call there. A thread
// that plays a fiber (jobs::ThreadFiber) cannot; it waits for a worker.
//
//     offered --worker: kTake--> runs on a worker --> done
//        \-----caller: kTake--> runs on the caller
//
// Rejected: workers alone in all programs. A loop of 100 elements takes a wake-up then.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <type_traits>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/arena_pool.hpp"
#include "jobs/interop/tbb/arena_scheduler.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/interop/tbb/control.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/thread_host.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

// The exchange selects the thread that runs a call. The queue of jobs publishes the call, and the
// event its result.
JOBS_ORDER(kTake, relaxed);
// The flag is set before main(), or when a library of the program is loaded.
JOBS_ORDER(kUse, relaxed);
// A number of schedulers, for their size only.
JOBS_ORDER(kCountOwn, relaxed);

// A call that a thread offers to the workers. A worker may find it after the call has ended.
struct Offer {
  jobs::detail::Atomic<bool> is_taken{false};
  Event is_done;
};

// The schedulers of threads that found no worker.
inline jobs::detail::Atomic<unsigned> own_schedulers{0};

// Whether the program contains a call of current_thread_index(). UsesIndices sets it.
inline jobs::detail::Atomic<bool> uses_indices{false};

// After this time the calling thread takes its call back. Tests of workers make it longer, before
// they start a thread.
inline std::chrono::milliseconds offer_time{10};

// The function template current_thread_index() uses `value`, so a program that calls it contains
// the initialisation.
template <class>
struct UsesIndices {
  static inline const bool value = (uses_indices.store(true, kUse), true);
};

}  // namespace jobs::inline JOBS_ABI::tbb::detail

namespace jobs::inline JOBS_ABI::tbb::detail JOBS_OF_MODE {

// Calls f() on the calling thread, which is worker 0 meanwhile. The more threads do so, the fewer
// workers each of them starts.
template <class F>
std::invoke_result_t<F&> in_own_scheduler(F& f) {
  const struct Count {
    const unsigned others = own_schedulers.fetch_add(1, kCountOwn);
    ~Count() { own_schedulers.fetch_sub(1, kCountOwn); }
  } count;
  const auto all =
      static_cast<unsigned>(std::min<std::size_t>(worker_count(), Limits::of_process().workers()));
  const ArenaScheduler own(SchedulerOptions{.worker_count = std::max(1u, all / (1 + count.others)),
                                            .bind_caller = true,
                                            .stack_size = Limits::of_process().stack()},
                           default_concurrency(), true);
  return f();
}

// Calls f() on a worker of that scheduler, or else on the calling thread.
template <class F>
std::invoke_result_t<F&> offer(jobs::detail::Shared& shared, F& f) {
  const auto call = std::make_shared<Offer>();
  jobs::detail::JobResult<std::invoke_result_t<F&>> result;
  jobs::detail::spawn_into(shared, nullptr, [call, &f, &result] {
    if (call->is_taken.exchange(true, kTake)) return;
    result.set(f);
    call->is_done.signal();
  });
  const bool may_run_here = jobs::detail::this_thread().host == nullptr;
  bool runs_here = false;
  {
    // The job refers to this frame, so no interrupt ends the waits.
    const jobs::detail::WaitingThread here;
    const jobs::detail::InterruptShield shield(here.host().current());
    runs_here = !call->is_done.wait_for(offer_time) && may_run_here &&
                !call->is_taken.exchange(true, kTake);
    if (!runs_here) call->is_done.wait();
  }
  return runs_here ? in_own_scheduler(f) : result.take();
}

// Calls f(), which contains an algorithm, where algorithms that are called here run.
template <class F>
std::invoke_result_t<F&> in_arena(F&& f) {
  if (!is_outside()) return f();
  has_called() = true;
  if (seat_of_thread() != nullptr) return f();
  const bool may_compute = !uses_indices.load(kUse);
  const ArenaLease limited = Limits::of_process().scheduler(may_compute);
  if (limited == nullptr) return may_compute ? f() : offer(jobs::detail::default_shared(), f);
  if (!limited->has_extra_callers()) return offer(limited->shared(), f);
  const SchedulerScope scope(limited->scheduler());
  return f();
}

// Calls f(), which spawns jobs, on the calling thread. The jobs run where algorithms do.
template <class F>
void spawn_in_arena(F&& f) {
  if (is_outside() && seat_of_thread() == nullptr) {
    has_called() = true;
    if (const ArenaLease limited = Limits::of_process().scheduler(!uses_indices.load(kUse))) {
      const SchedulerScope scope(limited->scheduler());
      return f();
    }
  }
  f();
}

// Calls f(), which waits for such jobs. The wait runs jobs itself if the calling thread may.
template <class F>
void wait_in_arena(F&& f) {
  if (!is_outside() || seat_of_thread() != nullptr) return f();
  const bool may_compute = !uses_indices.load(kUse);
  const ArenaLease limited = Limits::of_process().scheduler(may_compute);
  if (limited != nullptr && limited->has_extra_callers()) {
    const SchedulerScope scope(limited->scheduler());
    return f();
  }
  if (!may_compute || limited != nullptr) jobs::detail::this_thread().help_counter = nullptr;
  f();
}

}  // namespace jobs::inline JOBS_ABI::tbb::detail JOBS_OF_MODE
