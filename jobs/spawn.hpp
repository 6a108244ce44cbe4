// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// spawn(): gives a job to the scheduler and goes on. yield(): lets others run.
//
//   jobs::Counter done;
//   for (Mesh& mesh : meshes) jobs::spawn(done, [&mesh] { mesh.build_bvh(); });
//   done.wait();
//
// From any thread: a job of a scheduler spawns on its own worker, where others steal it; an unbound thread on the default
// scheduler. Not promised: any order, or that detached jobs run after main has returned. Jobs may wait on whatever is in
// jobs/sync; they must not block the thread for long in the operating system.
#pragma once

#include <concepts>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/wrong_call.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/spawn_options.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI {

JOBS_OF_MODE_BEGIN

// Runs function() as a job, once, and then calls counter.done(); counter.add() has happened before spawn returns. The closure is
// moved or copied into the job and destroyed before done(). What it throws goes to the counter: wait() rethrows the first. Cost:
// no allocation from a worker for closures up to 96 bytes, in the steady state. Throws std::bad_alloc, Error(kStopped): then
// nothing was spawned and the counter is as before. The counter must live until wait() has returned.
template <class F>
requires std::invocable < std::decay_t<F>
& > void spawn(Counter& counter, F&& function) { detail::spawn_detached(&counter, std::forward<F>(function)); }

// Detached: nobody waits for it. What it throws goes to SchedulerOptions::on_unhandled, else std::terminate.
template <class F>
requires std::invocable < std::decay_t<F>
& > void spawn(F&& function) { detail::spawn_detached(nullptr, std::forward<F>(function)); }

// The same for a job that wants a certain worker, or is urgent (jobs/spawn_options.hpp, place.hpp):
//
//   jobs::spawn(done, [&] { window.present(); }, {.on = jobs::main_thread});
//   jobs::spawn(done, [&] { decode_next(); }, {.urgent = true});
//
// Such jobs cost an atomic operation on a line that others use, too. Throws Error(kBadArgument) as well, for a place that the
// scheduler of the calling thread does not have.
template <class F>
requires std::invocable < std::decay_t<F>
& > void spawn(Counter& counter, F&& function, SpawnOptions options) {
  detail::spawn_placed(&counter, std::forward<F>(function), options);
}
template <class F>
requires std::invocable < std::decay_t<F>
& > void spawn(F&& function, SpawnOptions options) {
  detail::spawn_placed(nullptr, std::forward<F>(function), options);
}

// Lets other ready fibers of this worker run, and a new job every few turns; the caller stays ready. Outside of jobs it yields the
// thread. Throws Error(kNoStack) if the worker needs one more fiber for that and cannot have it.
JOBS_EXPORT void yield();

// For long computations on a worker that others need too: yields if the caller has run for SchedulerOptions::time_slice, and counts
// that (Stats::overruns). The time is taken from the first call after a wait or yield. One look at the clock. post: true: it has
// yielded. Outside of jobs: false.
JOBS_EXPORT bool maybe_yield();

// Wrong calls (jobs/base/wrong_call.hpp).
template <class F, class... Rest>
requires(!std::invocable<std::decay_t<F>&> && !std::same_as<std::remove_cvref_t<F>, Counter>) auto spawn(F&&,
                                                                                                         Rest&&...) {
  static_assert(detail::kNever<F>, "jobs::spawn: function must be callable without arguments");
}
template <class F, class... Rest>
requires(!std::invocable<std::decay_t<F>&>) auto spawn(Counter&, F&&, Rest&&...) {
  static_assert(detail::kNever<F>, "jobs::spawn: function must be callable without arguments");
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI
