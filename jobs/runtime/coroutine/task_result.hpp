// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskResult<T>: the value or the exception of a coroutine. TaskReturn<T>: the part of the promise
// of a Task that receives it.
//
// Owner: the frame of the coroutine. The coroutine sets the result; then the task that awaits it,
// or the thread that waits for it, takes the result.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/config.hpp"
#include "jobs/runtime/coroutine/task_frame.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Throws Error(kBadArgument).
[[noreturn]] JOBS_EXPORT void refuse_empty_task();
// The exception that a coroutine handles. Aborts on a forced unwinding (job_result.hpp).
JOBS_EXPORT std::exception_ptr current_task_exception() noexcept;

template <class T>
class TaskResult {
 public:
  TaskResult() noexcept {}  // NOLINT: the union is empty
  ~TaskResult() {
    if (state_ == State::kValue) std::destroy_at(&value_);
    if (state_ == State::kException) std::destroy_at(&exception_);
  }
  TaskResult(const TaskResult&) = delete;
  TaskResult& operator=(const TaskResult&) = delete;

  template <class U>
  void set_value(U&& value) {
    if constexpr (std::is_reference_v<T>) {
      ::new (static_cast<void*>(&value_)) Stored(std::addressof(value));
    } else {
      ::new (static_cast<void*>(&value_)) Stored(std::forward<U>(value));
    }
    state_ = State::kValue;
  }
  void set_exception(std::exception_ptr exception) noexcept {
    // The destructor of a local variable may throw after the value was set.
    if (state_ == State::kValue) std::destroy_at(&value_);
    ::new (static_cast<void*>(&exception_)) std::exception_ptr(std::move(exception));
    state_ = State::kException;
  }
  // Null if there is none.
  std::exception_ptr exception() const noexcept {
    return state_ == State::kException ? exception_ : nullptr;
  }
  // Returns the value, or throws the exception. Once, after one of the two was set.
  T take() {
    if (state_ == State::kException) std::rethrow_exception(exception_);
    if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*value_);
    } else if constexpr (!std::is_void_v<T>) {
      return std::move(value_);
    }
  }

 private:
  struct Nothing {};
  using Stored = std::conditional_t<std::is_reference_v<T>, std::remove_reference_t<T>*,
                                    std::conditional_t<std::is_void_v<T>, Nothing, T>>;
  enum class State : std::uint8_t { kNone, kValue, kException };

  union {
    Stored value_;
    std::exception_ptr exception_;
  };
  State state_ = State::kNone;
};

template <class T>
class TaskReturn : public TaskFrame {
 public:
  template <class U = T>
    requires std::is_constructible_v<T, U>
  void return_value(U&& value) {
    result.set_value(std::forward<U>(value));
  }

  TaskResult<T> result;
};

template <>
class TaskReturn<void> : public TaskFrame {
 public:
  void return_void() noexcept {}

  TaskResult<void> result;
};

// The end of a coroutine: the TaskRun continues, see task_frame.hpp.
struct TaskEnd {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) const noexcept {
    TaskFrame& frame = coroutine.promise();
    frame.run->end(frame);
  }
  void await_resume() const noexcept {}
};

}  // namespace jobs::inline JOBS_ABI::detail
