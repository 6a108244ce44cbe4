// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// jobs::this_task has the waits of a Task that no primitive offers: sleeps, selections and limits.
///
/// `jobs/coroutine.hpp` includes this header. The result of each function is for `co_await` in a
/// jobs::Task, in the same expression.
#pragma once

#include "jobs/base/config.hpp"  // first: <coroutine> has an error of its own for older standards

#include <array>
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/runtime/coroutine/condition_wait.hpp"
#include "jobs/runtime/coroutine/mutex_wait.hpp"
#include "jobs/runtime/coroutine/shared_mutex_wait.hpp"
#include "jobs/runtime/coroutine/task_awaiters.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/condition_variable.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/shared_mutex.hpp"
#include "jobs/sync/task_lock.hpp"
#include "jobs/sync/task_shared_lock.hpp"

namespace jobs::inline JOBS_ABI::this_task {

/// Suspends the task for a duration.
///
/// The task continues on the same worker.
///
/// @param duration  duration from the call on; zero or less does not wait
/// @param stop  a stop request through this token ends the sleep
/// @returns awaitable; its result is true, or false if the stop came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Rep, class Period>
[[nodiscard]] auto sleep_for(const std::chrono::duration<Rep, Period>& duration,
                             const std::stop_token& stop = {}) {
  return detail::request_wait<detail::SleepWait>(detail::to_deadline(duration), stop);
}

/// Suspends the task until a point in time.
///
/// The task continues on the same worker.
///
/// @param when  point in time on any clock; a past point does not wait
/// @param stop  a stop request through this token ends the sleep
/// @returns awaitable; its result is true, or false if the stop came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Clock, class Duration>
[[nodiscard]] auto sleep_until(const std::chrono::time_point<Clock, Duration>& when,
                               const std::stop_token& stop = {}) {
  return detail::request_wait<detail::SleepWait>(detail::to_deadline(when), stop);
}

/// Lets other jobs run.
///
/// The task goes to the end of the queue of all workers.
///
/// @returns awaitable without a result
/// @complexity O(1), no allocation; a queue that all workers use
/// @thread_safety any task
[[nodiscard]] inline auto yield() { return detail::request_wait<detail::YieldWait>(); }

/// Locks a Mutex; waits until it is free, or until a stop is requested.
///
/// `co_await mutex` waits without a limit. A free mutex is locked even if the stop was requested
/// before.
///
/// @param mutex  mutex to lock
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskLock, which owns no mutex if the stop came first
/// @complexity O(1), no allocation
/// @thread_safety any task
[[nodiscard]] inline auto lock(Mutex& mutex, const std::stop_token& stop) {
  return detail::request_wait<detail::LimitedMutexWait>(&mutex, os::kNever, stop);
}

/// Locks a Mutex; waits until it is free, or until a point in time or a stop.
///
/// The task continues on the same worker. If the mutex was handed to the task at the moment of the
/// deadline, the task owns it.
///
/// @snippet coroutines.cpp timed_lock
///
/// @param mutex  mutex to lock
/// @param when  point in time on any clock; a past point makes the call a poll
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskLock, which owns no mutex if the deadline or the stop
///   came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Clock, class Duration>
[[nodiscard]] auto try_lock_until(Mutex& mutex,
                                  const std::chrono::time_point<Clock, Duration>& when,
                                  const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedMutexWait>(&mutex, detail::to_deadline(when), stop);
}

/// Locks a Mutex as try_lock_until() does, for a duration from the call on.
///
/// @param mutex  mutex to lock
/// @param timeout  duration; zero or less makes the call a poll
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskLock, which owns no mutex if the deadline or the stop
///   came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Rep, class Period>
[[nodiscard]] auto try_lock_for(Mutex& mutex, const std::chrono::duration<Rep, Period>& timeout,
                                const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedMutexWait>(&mutex, detail::to_deadline(timeout), stop);
}

/// Locks a SharedMutex as a writer; waits until a stop is requested.
///
/// @param mutex  mutex to lock
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskWriterLock, which owns no mutex if the stop came first
/// @complexity O(1), no allocation
/// @thread_safety any task
[[nodiscard]] inline auto lock(SharedMutex& mutex, const std::stop_token& stop) {
  return detail::request_wait<detail::LimitedSharedMutexWait<TaskWriterLock>>(&mutex, os::kNever,
                                                                              stop);
}

/// Locks a SharedMutex as a writer; waits until a point in time or a stop.
///
/// The task continues on the same worker. A writer that gives up lets the readers behind it enter.
///
/// @param mutex  mutex to lock
/// @param when  point in time on any clock; a past point makes the call a poll
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskWriterLock, which owns no mutex if the deadline or the
///   stop came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Clock, class Duration>
[[nodiscard]] auto try_lock_until(SharedMutex& mutex,
                                  const std::chrono::time_point<Clock, Duration>& when,
                                  const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedSharedMutexWait<TaskWriterLock>>(
      &mutex, detail::to_deadline(when), stop);
}

/// Locks a SharedMutex as a writer, as try_lock_until() does, for a duration.
///
/// @param mutex  mutex to lock
/// @param timeout  duration from the call on; zero or less makes the call a poll
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskWriterLock, which owns no mutex if the deadline or the
///   stop came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Rep, class Period>
[[nodiscard]] auto try_lock_for(SharedMutex& mutex,
                                const std::chrono::duration<Rep, Period>& timeout,
                                const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedSharedMutexWait<TaskWriterLock>>(
      &mutex, detail::to_deadline(timeout), stop);
}

/// Locks a SharedMutex together with other readers; waits while a writer owns it.
///
/// `co_await mutex` locks it for a writer. Both wait in one queue with fibers and threads, in
/// strict FIFO order.
///
/// @snippet coroutines.cpp shared_lock
///
/// @param mutex  mutex to lock
/// @returns awaitable; its result is a TaskReaderLock, which unlocks the mutex
/// @complexity O(1), no allocation
/// @thread_safety any task
[[nodiscard]] inline auto lock_shared(SharedMutex& mutex) {
  return detail::request_wait<detail::SharedMutexWait<TaskReaderLock>>(&mutex);
}

/// Locks a SharedMutex for reading as lock_shared() does, until a stop is requested.
///
/// @param mutex  mutex to lock
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskReaderLock, which owns no mutex if the stop came first
/// @complexity O(1), no allocation
/// @thread_safety any task
[[nodiscard]] inline auto lock_shared(SharedMutex& mutex, const std::stop_token& stop) {
  return detail::request_wait<detail::LimitedSharedMutexWait<TaskReaderLock>>(&mutex, os::kNever,
                                                                              stop);
}

/// Locks a SharedMutex for reading, until a point in time or a stop.
///
/// The task continues on the same worker.
///
/// @param mutex  mutex to lock
/// @param when  point in time on any clock; a past point makes the call a poll
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskReaderLock, which owns no mutex if the deadline or the
///   stop came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Clock, class Duration>
[[nodiscard]] auto try_lock_shared_until(SharedMutex& mutex,
                                         const std::chrono::time_point<Clock, Duration>& when,
                                         const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedSharedMutexWait<TaskReaderLock>>(
      &mutex, detail::to_deadline(when), stop);
}

/// Locks as try_lock_shared_until() does, for a duration from the call on.
///
/// @param mutex  mutex to lock
/// @param timeout  duration; zero or less makes the call a poll
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is a TaskReaderLock, which owns no mutex if the deadline or the
///   stop came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Rep, class Period>
[[nodiscard]] auto try_lock_shared_for(SharedMutex& mutex,
                                       const std::chrono::duration<Rep, Period>& timeout,
                                       const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedSharedMutexWait<TaskReaderLock>>(
      &mutex, detail::to_deadline(timeout), stop);
}

/// Unlocks the mutex of a lock, waits for a notification, and locks it again.
///
/// As ConditionVariable::wait(): the condition may be false again afterwards, so the call stands in
/// a loop. `lock` owns its mutex before and after the wait, and nothing else may use it meanwhile.
///
/// @snippet coroutines.cpp condition
///
/// @param condition  condition variable that is notified
/// @param lock  lock that owns its mutex; a lock that owns none aborts
/// @returns awaitable without a result
/// @complexity O(1), no allocation
/// @thread_safety any task
[[nodiscard]] inline auto wait(ConditionVariable& condition, TaskLock& lock) {
  return detail::request_wait<detail::ConditionWait>(&condition, &lock);
}

/// Waits as wait(), until a stop is requested.
///
/// `lock` owns its mutex after the wait in any case, however long the lock takes. The condition
/// variable must live until then, as for wait_until().
///
/// @param condition  condition variable that is notified
/// @param lock  lock that owns its mutex; a lock that owns none aborts
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is true, or false if the stop came before the notification
/// @complexity O(1), no allocation
/// @thread_safety any task
[[nodiscard]] inline auto wait(ConditionVariable& condition, TaskLock& lock,
                               const std::stop_token& stop) {
  return detail::request_wait<detail::LimitedConditionWait>(&condition, &lock, os::kNever, stop);
}

/// Waits for a notification as wait(), until a point in time or a stop.
///
/// `lock` owns its mutex after the wait in any case, however long the lock takes, as with
/// `std::condition_variable_any`. The task continues the wait on the same worker.
///
/// @snippet coroutines.cpp timed_condition
///
/// @param condition  condition variable that is notified
/// @param lock  lock that owns its mutex; a lock that owns none aborts
/// @param when  point in time on any clock
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is true, or false if the deadline or the stop came before the
///   notification
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Clock, class Duration>
[[nodiscard]] auto wait_until(ConditionVariable& condition, TaskLock& lock,
                              const std::chrono::time_point<Clock, Duration>& when,
                              const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedConditionWait>(&condition, &lock,
                                                            detail::to_deadline(when), stop);
}

/// Waits as wait_until() does, for a duration from the call on.
///
/// @param condition  condition variable that is notified
/// @param lock  lock that owns its mutex; a lock that owns none aborts
/// @param timeout  duration; after zero or less the mutex is unlocked and locked again
/// @param stop  a stop request through this token ends the wait
/// @returns awaitable; its result is true, or false if the deadline or the stop came before the
///   notification
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class Rep, class Period>
[[nodiscard]] auto wait_for(ConditionVariable& condition, TaskLock& lock,
                            const std::chrono::duration<Rep, Period>& timeout,
                            const std::stop_token& stop = {}) {
  return detail::request_wait<detail::LimitedConditionWait>(&condition, &lock,
                                                            detail::to_deadline(timeout), stop);
}

/// Takes the oldest item of a channel; waits while there is none.
///
/// @snippet coroutines.cpp channel
///
/// @param channel  source
/// @returns awaitable; its result is the item, or empty if the channel is closed and has no items
/// @complexity O(1), no allocation
/// @thread_safety any task
template <class T>
[[nodiscard]] auto pop(Channel<T>& channel) {
  return detail::request_wait<detail::PopWait<T>>(&channel);
}

/// Passes an item to a channel; waits while there is no room.
///
/// @param channel  destination
/// @param item  value that is moved into the channel
/// @returns awaitable; its result is true, or false if the channel is closed: the item is lost then
/// @throws std::bad_alloc for an unbounded channel
/// @complexity O(1), no allocation, unless the channel is unbounded
/// @thread_safety any task
template <class T>
[[nodiscard]] auto push(Channel<T>& channel, std::type_identity_t<T> item) {
  return detail::request_wait<detail::PushWait<T>>(&channel, std::move(item));
}

/// Waits for the first of several alternatives, as jobs::select() does for a fiber.
///
/// @snippet coroutines.cpp select
///
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns awaitable; its result is the index of the completed alternative, from 0
/// @complexity O(alternatives), no allocation
/// @thread_safety any task
template <Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] auto select(A&&... alternatives) {
  return detail::request_wait<detail::SelectWait<sizeof...(A)>>(
      std::array<detail::Alternative*, sizeof...(A)>{&alternatives...});
}

/// Waits as select() does, until a stop is requested.
///
/// @param stop  a stop request through this token ends the wait
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns awaitable; its result is the index of the completed alternative, or empty if the stop
///   came first
/// @complexity O(alternatives), no allocation
/// @thread_safety any task
template <Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] auto select(const std::stop_token& stop, A&&... alternatives) {
  return detail::request_limited(os::kNever, stop, alternatives...);
}

/// Waits as select() does, until a point in time.
///
/// The task continues on the same worker.
///
/// @param when  point in time on any clock; a past point makes the call a poll
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns awaitable; its result is the index of the completed alternative, or empty if the
///   deadline came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(alternatives), no allocation
/// @thread_safety any task
template <class Clock, class Duration, Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] auto select_until(const std::chrono::time_point<Clock, Duration>& when,
                                A&&... alternatives) {
  return detail::request_limited(detail::to_deadline(when), {}, alternatives...);
}

/// Waits as select_until() does, for a duration from the call on.
///
/// The task continues on the same worker.
///
/// @param timeout  duration; zero or less makes the call a poll
/// @param alternatives  results of Channel::on_pop(), Event::on_signal() and so on, see Selectable
/// @returns awaitable; its result is the index of the completed alternative, or empty if the
///   deadline came first
/// @throws Error(kBadArgument) if the time is NaN
/// @complexity O(alternatives), no allocation
/// @thread_safety any task
template <class Rep, class Period, Selectable... A>
  requires(sizeof...(A) > 0)
[[nodiscard]] auto select_for(const std::chrono::duration<Rep, Period>& timeout,
                              A&&... alternatives) {
  return detail::request_limited(detail::to_deadline(timeout), {}, alternatives...);
}

}  // namespace jobs::inline JOBS_ABI::this_task
