// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What a Task can await: the waiter types behind co_await, each in the frame of the coroutine. All
// but TaskAwaiter are a TaskWait for alternatives of the primitives. TaskPromise<T>: the promise of
// a Task, which chooses among them.
//
// Only the thread that runs the coroutine calls the functions.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <source_location>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "jobs/base/deadline.hpp"
#include "jobs/base/wrong_call.hpp"
#include "jobs/runtime/coroutine/mutex_wait.hpp"
#include "jobs/runtime/coroutine/shared_mutex_wait.hpp"
#include "jobs/runtime/coroutine/task_limits.hpp"
#include "jobs/runtime/coroutine/task_result.hpp"
#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/sync/barrier.hpp"
#include "jobs/sync/channel.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"
#include "jobs/sync/latch.hpp"
#include "jobs/sync/mutex.hpp"
#include "jobs/sync/select.hpp"
#include "jobs/sync/semaphore.hpp"
#include "jobs/sync/shared_mutex.hpp"
#include "jobs/sync/task_shared_lock.hpp"

namespace jobs::inline JOBS_ABI {

template <class T>
  requires(std::is_void_v<T> || std::is_reference_v<T> ||
           (std::is_object_v<T> && std::is_move_constructible_v<T>))
class Task;

template <class T>
  requires(std::is_void_v<T> || (std::is_object_v<T> && std::movable<T>))
class Fiber;

namespace detail {

// A wait for the end of another task, which runs meanwhile.
template <class T>
class TaskAwaiter {
 public:
  explicit TaskAwaiter(Task<T>&& task) : task_(std::move(task)) {
    if (!task_) refuse_empty_task();
  }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) noexcept {
    TaskFrame& waiting = coroutine.promise();
    TaskFrame& awaited = task_.promise();
    awaited.awaiting = &waiting;
    waiting.run->transfer_to(awaited);
  }
  T await_resume() { return task_.promise().result.take(); }

 private:
  Task<T> task_;
};

// A wait for one alternative, which make() returns.
template <class A>
class AlternativeWait : public TaskWait {
 public:
  template <class Make>
  explicit AlternativeWait(Make&& make) : alternative_(make()), list_{&alternative_} {
    choose(list_);
  }
  void await_resume() noexcept { settle(); }

 private:
  A alternative_;
  const std::array<Alternative*, 1> list_;
};

// A wait for an alternative that the caller owns.
class AlternativeRefWait final : public TaskWait {
 public:
  explicit AlternativeRefWait(Alternative& alternative) noexcept : list_{&alternative} {
    choose(list_);
  }
  void await_resume() noexcept { settle(); }

 private:
  const std::array<Alternative*, 1> list_;
};

class EventWait final : public AlternativeWait<Event::OnSignal> {
 public:
  explicit EventWait(Event& event) : AlternativeWait([&event] { return event.on_signal(); }) {}
};

class LatchWait final : public AlternativeWait<Latch::OnZero> {
 public:
  explicit LatchWait(Latch& latch) : AlternativeWait([&latch] { return latch.on_zero(); }) {}
};

// Arrives, and waits for the end of the phase.
class BarrierWait final : public AlternativeWait<OnPhaseEnd> {
 public:
  template <class Completion>
  explicit BarrierWait(Barrier<Completion>& barrier)
      : BarrierWait(barrier.core_.core(), barrier.arrive_now(1)) {}

  // After the last arrival of a phase, a waiter that was woken may have destroyed the barrier.
  bool await_ready() { return is_last_ || AlternativeWait::await_ready(); }
  void await_resume() noexcept {
    if (!is_last_) settle();
  }

 private:
  BarrierWait(BarrierCore& core, BarrierBase::Arrived arrived)
      : AlternativeWait([&] { return OnPhaseEnd(core, arrived.phase); }),
        is_last_(arrived.is_last) {}

  const bool is_last_;
};

class SemaphoreWait final : public AlternativeWait<Semaphore::OnAcquire> {
 public:
  explicit SemaphoreWait(Semaphore& semaphore)
      : AlternativeWait([&semaphore] { return semaphore.on_acquire(); }) {}
};

class CountWait final : public AlternativeWait<Counter::OnZero> {
 public:
  explicit CountWait(Counter& counter)
      : AlternativeWait([&counter] { return counter.on_zero(); }), counter_(counter) {}
  void await_resume() {
    settle();
    // Rethrows the first exception of the jobs. A poll, because the program may use the counter
    // again.
    static_cast<void>(counter_.wait_for(std::chrono::nanoseconds(0)));
  }

 private:
  Counter& counter_;
};

// A wait for the end of a fiber, which joins it. The program has included jobs/fiber.hpp.
template <class T>
class FiberWait final : public AlternativeWait<Event::OnSignal> {
 public:
  explicit FiberWait(Fiber<T>& fiber)
      : AlternativeWait([&fiber] { return fiber.on_end(); }), fiber_(fiber) {}
  T await_resume() {
    settle();
    return fiber_.join();
  }

 private:
  WaitSite site() const noexcept override {
    return {WaitKind::kJoin, AlternativeWait::site().object};
  }

  Fiber<T>& fiber_;
};

// A wait for an item of a channel.
template <class T>
class PopWait final : public TaskWait {
 public:
  explicit PopWait(Channel<T>* channel) : pop_(channel->on_pop(item_)), list_{&pop_} {
    choose(list_);
  }
  std::optional<T> await_resume() noexcept {
    settle();
    return std::move(item_);
  }

 private:
  std::optional<T> item_;
  typename Channel<T>::OnPop pop_;
  const std::array<Alternative*, 1> list_;
};

// A wait until a channel takes an item.
template <class T>
class PushWait final : public TaskWait {
 public:
  PushWait(Channel<T>* channel, T&& item)
      : item_(std::move(item)), push_(channel->on_push(item_)), list_{&push_} {
    choose(list_);
  }
  bool await_resume() noexcept {
    settle();
    return push_.done();
  }

 private:
  std::optional<T> item_;
  typename Channel<T>::OnPush push_;
  const std::array<Alternative*, 1> list_;
};

// A wait for the first of N alternatives.
template <std::size_t N>
class SelectWait final : public TaskWait {
 public:
  explicit SelectWait(const std::array<Alternative*, N>& alternatives) noexcept
      : list_(alternatives) {
    choose(list_);
  }
  std::size_t await_resume() noexcept {
    const Alternative* const done = settle();
    std::size_t index = 0;
    while (list_[index] != done) ++index;
    return index;
  }

 private:
  const std::array<Alternative*, N> list_;
};

// A wait for the first of N alternatives, a deadline and a stop.
template <std::size_t N>
class LimitedWait : public TaskWait {
 public:
  LimitedWait(os::Nanoseconds deadline, const std::stop_token& stop,
              const std::array<Alternative*, N>& alternatives)
      : is_poll_(deadline == kPoll) {
    std::size_t count = 0;
    for (Alternative* const alternative : alternatives) list_[count++] = alternative;
    if (stop.stop_possible()) list_[count++] = &stop_.emplace(stop);
    const bool has_deadline = deadline != os::kNever && !is_poll_;
    if (has_deadline) list_[count++] = &timer_.emplace(deadline);
    choose(std::span(list_).first(count), has_deadline ? &*timer_ : nullptr);
  }

  bool await_ready() { return TaskWait::await_ready() || is_poll_; }
  std::optional<std::size_t> await_resume() noexcept {
    const Alternative* const done = is_poll_ ? completed() : settle();
    for (std::size_t index = 0; index < N; ++index) {
      if (list_[index] == done) return index;
    }
    return std::nullopt;
  }

 protected:
  // After await_resume(). Returns whether the stop has ended the wait.
  bool is_stopped() noexcept { return stop_ && completed() == &*stop_; }

 private:
  std::array<Alternative*, N + 2> list_;
  const bool is_poll_;
  std::optional<TaskStop> stop_;
  std::optional<TaskTimer> timer_;
};

class SleepWait final : public LimitedWait<0> {
 public:
  SleepWait(os::Nanoseconds deadline, const std::stop_token& stop)
      : LimitedWait(deadline, stop, std::array<Alternative*, 0>()) {}
  // Returns false if the stop came first.
  bool await_resume() noexcept {
    LimitedWait::await_resume();
    return !is_stopped();
  }

 private:
  WaitSite site() const noexcept override { return {WaitKind::kSleep, nullptr}; }
};

// The result of a function of jobs::this_task: the arguments of the wait that co_await makes. g++
// 12 would copy a wait that the function returned itself.
template <class Wait, class... Arguments>
struct TaskRequest {
  std::tuple<Arguments...> arguments;
};

template <class Wait, class... Arguments>
TaskRequest<Wait, Arguments...> request_wait(Arguments... arguments) {
  return {std::tuple<Arguments...>(std::move(arguments)...)};
}

template <class... A>
auto request_limited(os::Nanoseconds deadline, const std::stop_token& stop, A&... alternatives) {
  return request_wait<LimitedWait<sizeof...(A)>>(
      deadline, stop, std::array<Alternative*, sizeof...(A)>{&alternatives...});
}

template <class T>
class TaskPromise final : public TaskReturn<T> {
 public:
  Task<T> get_return_object() noexcept {
    this->handle = std::coroutine_handle<TaskPromise>::from_promise(*this);
    return Task<T>(*this);
  }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  TaskEnd final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { this->result.set_exception(current_task_exception()); }

  // Each co_await notes its place for reports.
  using Site = std::source_location;

  template <class U>
  TaskAwaiter<U> await_transform(Task<U>&& task, Site where = Site::current()) {
    this->site = where;
    return TaskAwaiter<U>(std::move(task));
  }
  EventWait await_transform(Event& event, Site where = Site::current()) {
    this->site = where;
    return EventWait(event);
  }
  LatchWait await_transform(Latch& latch, Site where = Site::current()) {
    this->site = where;
    return LatchWait(latch);
  }
  template <class Completion>
  BarrierWait await_transform(Barrier<Completion>& barrier, Site where = Site::current()) {
    this->site = where;
    return BarrierWait(barrier);
  }
  SemaphoreWait await_transform(Semaphore& semaphore, Site where = Site::current()) {
    this->site = where;
    return SemaphoreWait(semaphore);
  }
  CountWait await_transform(Counter& counter, Site where = Site::current()) {
    this->site = where;
    return CountWait(counter);
  }
  MutexWait await_transform(Mutex& mutex, Site where = Site::current()) noexcept {
    this->site = where;
    return MutexWait(mutex);
  }
  SharedMutexWait<TaskWriterLock> await_transform(SharedMutex& mutex,
                                                  Site where = Site::current()) noexcept {
    this->site = where;
    return SharedMutexWait<TaskWriterLock>(&mutex);
  }
  template <class U>
  FiberWait<U> await_transform(Fiber<U>& fiber, Site where = Site::current()) {
    this->site = where;
    return FiberWait<U>(fiber);
  }
  template <Selectable A>
  AlternativeRefWait await_transform(A&& alternative, Site where = Site::current()) noexcept {
    this->site = where;
    return AlternativeRefWait(alternative);
  }
  template <class Wait, class... Arguments>
  Wait await_transform(TaskRequest<Wait, Arguments...>&& request, Site where = Site::current()) {
    this->site = where;
    return std::make_from_tuple<Wait>(std::move(request.arguments));
  }
  // Wrong calls (jobs/base/wrong_call.hpp).
  template <class U>
  std::suspend_never await_transform(Task<U>&, Site = {}) {
    static_assert(kNever<U>, "jobs::Task: co_await takes the task over: co_await std::move(task)");
    return {};
  }
  template <class U>
  std::suspend_never await_transform(U&&, Site = {}) {
    static_assert(kNever<U>,
                  "jobs::Task: co_await accepts tasks, primitives of jobs/sync, alternatives of "
                  "select() and jobs::this_task; for everything else, wait for a jobs::Event");
    return {};
  }
};

}  // namespace detail
}  // namespace jobs::inline JOBS_ABI
