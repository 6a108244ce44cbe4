// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// JobHandle refers to a job that starts after its dependencies.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/runtime/scheduler/dependent_job.hpp"

namespace jobs::inline JOBS_ABI {

namespace detail {
struct JobHandleAccess;
}  // namespace detail

/// Refers to a job that starts after its dependencies; copies share the job.
///
/// spawn_after(), spawn_at() and Pipe::spawn() return handles. The job runs also if all handles are
/// gone. A handle may outlive the job and its scheduler. Different threads may use different
/// handles of one job concurrently.
///
/// If the job throws, wait() rethrows the exception, in each caller. Jobs that spawn_after() starts
/// after the job are left out: they fail with the same exception. An exception that no wait() has
/// rethrown when the last handle of these jobs is gone goes to SchedulerOptions::on_unhandled;
/// without this hook the program ends by std::terminate.
///
/// @snippet scheduling.cpp job_handle
class JOBS_EXPORT JobHandle {
 public:
  /// Creates an empty handle.
  JobHandle() noexcept = default;
  /// Shares the job of another handle.
  ///
  /// @param other  handle to copy
  JobHandle(const JobHandle& other) noexcept : job_(other.job_) {
    if (job_ != nullptr) job_->add_owner();
  }
  /// Takes over the job of another handle, which becomes empty.
  ///
  /// @param other  handle to move
  JobHandle(JobHandle&& other) noexcept : job_(std::exchange(other.job_, nullptr)) {}
  /// Releases the current job, and shares or takes over the job of another handle.
  ///
  /// @param other  handle to copy or to move
  /// @returns *this
  JobHandle& operator=(JobHandle other) noexcept {
    std::swap(job_, other.job_);
    return *this;
  }
  /// Releases the job; does not wait.
  ~JobHandle() {
    if (job_ != nullptr) job_->release();
  }

  /// Tells whether the handle refers to a job.
  ///
  /// @returns false if the handle is empty
  /// @complexity O(1)
  /// @thread_safety the owner of the handle
  explicit operator bool() const noexcept { return job_ != nullptr; }

  /// Tells whether the job has ended, or was left out.
  ///
  /// The effects of the job are visible after true.
  ///
  /// @returns true if wait() will not block
  /// @throws Error(kBadArgument) if the handle is empty
  /// @complexity O(1), one load
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool is_done() const { return job().is_done(); }

  /// Suspends the calling fiber until the job has ended.
  ///
  /// An external thread is parked instead. All effects of the job are visible afterwards.
  ///
  /// @throws the exception of the job, or of the predecessor because of which it was left out
  /// @throws Error(kBadArgument) if the handle is empty, or if the job waits for itself
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation; one load if the job has ended
  /// @thread_safety any thread or fiber, concurrently
  void wait() const { static_cast<void>(job().wait({})); }
  /// Waits as wait() does, until a stop is requested.
  ///
  /// @param stop  a stop request through this token ends the wait; the job is not affected
  /// @returns true if the job has ended, false if the stop came first
  /// @throws the exception of the job, or of the predecessor because of which it was left out
  /// @throws Error(kBadArgument) if the handle is empty, or if the job waits for itself
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  [[nodiscard]] bool wait(const std::stop_token& stop) const {
    return wait_before(os::kNever, stop);
  }
  /// Waits as wait() does, until a point in time or a stop request.
  ///
  /// @param when  point in time on any clock; a past point makes the call a poll
  /// @param stop  a stop request through this token ends the wait; the job is not affected
  /// @returns true if the job has ended, false if the deadline or the stop came first
  /// @throws the exception of the job, or of the predecessor because of which it was left out
  /// @throws Error(kBadArgument) if the handle is empty, if the job waits for itself, or for NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Clock, class Duration>
  [[nodiscard]] bool wait_until(const std::chrono::time_point<Clock, Duration>& when,
                                const std::stop_token& stop = {}) const {
    return wait_before(detail::to_deadline(when), stop);
  }
  /// Waits as wait_until() does, for a duration from the call on.
  ///
  /// @param timeout  duration; zero or less makes the call a poll
  /// @param stop  a stop request through this token ends the wait; the job is not affected
  /// @returns true if the job has ended, false if the deadline or the stop came first
  /// @throws the exception of the job, or of the predecessor because of which it was left out
  /// @throws Error(kBadArgument) if the handle is empty, if the job waits for itself, or for NaN
  /// @throws Error(kNoStack) or Cancelled, see \ref waiting
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& timeout,
                              const std::stop_token& stop = {}) const {
    return wait_before(detail::to_deadline(timeout), stop);
  }

  /// Adds dependencies, which remove_dependency() meets.
  ///
  /// The job must have a dependency that is not met yet, so that it cannot start meanwhile.
  ///
  /// @param count  number of dependencies
  /// @throws Error(kBadArgument) if the handle is empty, if the job has no unmet dependency, or if
  ///   it would have more than 2^30 - 1 of them
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void add_dependency(std::size_t count = 1) const { job().add(count); }
  /// Makes the job start after another job, too.
  ///
  /// The job must have a dependency that is not met yet, so that it cannot start meanwhile. If the
  /// other job has ended already, its dependency is met. Jobs that depend on each other in a circle
  /// never start: a shutdown waits for them in vain, and shutdown_for() returns false.
  ///
  /// @param predecessor  job that must end first
  /// @throws Error(kBadArgument) if a handle is empty, if both refer to the same job, or if the job
  ///   has no unmet dependency
  /// @throws std::bad_alloc if there is no memory
  /// @complexity O(1), one allocation
  /// @thread_safety any thread or fiber, concurrently
  void add_dependency(const JobHandle& predecessor) const { job().add(predecessor.job()); }
  /// Meets dependencies that were added by a number; the job starts when none is left.
  ///
  /// The effects that precede the call are visible to the job.
  ///
  /// @param count  number of dependencies
  /// @throws Error(kBadArgument) if the handle is empty, or if fewer unmet dependencies were added
  ///   by a number
  /// @complexity O(1), no allocation
  /// @thread_safety any thread or fiber, concurrently
  void remove_dependency(std::size_t count = 1) const { job().remove(count); }

  /// Compares two handles.
  ///
  /// @returns true if both refer to the same job, or both are empty
  friend bool operator==(const JobHandle&, const JobHandle&) noexcept = default;

 private:
  friend detail::JobHandleAccess;
  explicit JobHandle(detail::DependentJob& job) noexcept : job_(&job) {}

  detail::DependentJob& job() const {
    if (job_ == nullptr) [[unlikely]]
      detail::DependentJob::refuse_empty();
    return *job_;
  }
  bool wait_before(os::Nanoseconds deadline, const std::stop_token& stop) const {
    return job().wait_before(deadline, stop);
  }

  detail::DependentJob* job_ = nullptr;
};

namespace detail {

// The way from a job to its handle and back, for jobs/spawn_after.hpp and jobs/pipe.hpp.
struct JobHandleAccess {
  // pre: the job has a part for this handle.
  static JobHandle make(DependentJob& job) noexcept { return JobHandle(job); }
  static DependentJob& job_of(const JobHandle& handle) { return handle.job(); }
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
