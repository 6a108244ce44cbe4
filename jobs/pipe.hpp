// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// Pipe runs its jobs one after another, in the order in which they came.
#pragma once

#include <atomic>
#include <concepts>
#include <type_traits>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/spawn_after.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail::pipe_order {
// [pipe.1] The next job of the pipe sees the last one as its creator left it. Partner: itself.
JOBS_ORDER(kAppend, acq_rel);
}  // namespace detail::pipe_order

/// Runs jobs one after another, in the order of the calls of spawn().
///
/// A pipe protects data without a lock: its jobs never overlap, and each job sees the effects of
/// the jobs before it. Waiting jobs occupy neither a worker nor a stack. A job that suspends keeps
/// its turn. If a job fails, the next one runs nevertheless.
///
/// The pipe may be destroyed at any time: its jobs run on, in their order. Jobs of one pipe may
/// belong to different schedulers.
///
/// @snippet scheduling.cpp pipe
class JOBS_EXPORT Pipe {
 public:
  /// Creates a pipe without jobs.
  ///
  /// @complexity O(1), no allocation
  Pipe() noexcept = default;
  /// Destroys the pipe; does not wait.
  ~Pipe() {
    if (detail::DependentJob* const last = last_.load(std::memory_order_relaxed)) last->release();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// Appends a job: it starts when all jobs appended before it have ended.
  ///
  /// A job may append jobs to its own pipe; it must not wait for them.
  ///
  /// @param function  callable without arguments; moved or copied into the job
  /// @returns handle of the job
  /// @throws std::bad_alloc if there is no memory; nothing was appended
  /// @throws Error(kStopped) if the scheduler is shut down; nothing was appended
  /// @complexity O(1), one allocation: 88 bytes and the closure
  /// @thread_safety any thread or fiber, concurrently
  template <class F>
    requires std::invocable<std::decay_t<F>&>
  JOBS_TAG_OF_MODE JobHandle spawn(F&& function) {
    auto* const job = detail::make_admitted<detail::Successor>(2, 1, std::forward<F>(function));
    append(*job, job->trailers());
    return detail::JobHandleAccess::make(*job);
  }
  /// @cond internal
  // A wrong call (jobs/base/wrong_call.hpp).
  template <class F>
    requires(!std::invocable<std::decay_t<F>&>)
  JobHandle spawn(F&&) {
    static_assert(detail::kNever<F>,
                  "jobs::Pipe::spawn: function must be callable without arguments");
    return {};
  }
  /// @endcond

  /// Waits until all jobs have ended that were appended before.
  ///
  /// Exceptions of the jobs stay with their handles. A job of this pipe must not call it: the call
  /// would never return.
  ///
  /// @throws std::bad_alloc if there is no memory
  /// @throws Error(kStopped) if the scheduler is shut down
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity appends an empty job
  /// @thread_safety any thread or fiber, concurrently
  void wait() {
    spawn([] {}).wait();
  }

 private:
  // Makes the job depend on the end of the last one. The exchange decides the order, and passes the
  // part of the last job from the pipe to this thread. pre: `job` has a dependency of its creator,
  // one on the last job, and a trailer for the latter.
  void append(detail::DependentJob& job, void* trailer) noexcept {
    job.add_owner();
    detail::DependentJob* const last = last_.exchange(&job, detail::pipe_order::kAppend);
    detail::chaos::inject_delay();
    const bool waits =
        last != nullptr &&
        job.follow(*last, *::new (trailer) detail::Successor(job, detail::Dependency::kEnd, false));
    job.meet(waits ? 1 : 2);
    if (last != nullptr) last->release();
  }

  // The pipe owns a part of the job. Null: no job was appended.
  detail::Atomic<detail::DependentJob*> last_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI
