// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: the border between C and C++. No exception crosses it: at_border() turns exceptions
// into results. Defines the objects behind the handles. Any thread may call these functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <utility>

#include "jobs/c/status.h"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/scheduler_scope.hpp"
#include "jobs/sync/counter.hpp"

struct jobs_scheduler {
  jobs::Scheduler* own = nullptr;  // null: the default scheduler

  // Starts the default scheduler if it does not run.
  jobs::Scheduler& get() const { return own != nullptr ? *own : jobs::default_scheduler(); }
};

struct jobs_counter {
  explicit jobs_counter(std::size_t count) noexcept : value(count) {}

  jobs::Counter value;
};

namespace jobs::inline JOBS_ABI::detail {

// Stands for an exception that has left a callback, whatever its type: an Error of a callback must
// not look like an error of the function that called it.
struct CallbackFailed final : std::exception {
  const char* what() const noexcept override { return "jobs: an exception has left a callback"; }
};

// Returns the result for the exception that is being handled, and writes its text with a final zero
// into `message`, shortened if necessary.
jobs_status status_of_exception(std::span<char> message = {}) noexcept;

// Returns f(), or the result for its exception.
template <class F>
jobs_status at_border(F&& f) noexcept {
  try {
    return std::forward<F>(f)();
  } catch (...) {
    return status_of_exception();
  }
}

// Records a call of a function of the program, so that its name stands in results in place of those
// of this library.
class RecordedCall {
 public:
  template <class R, class... Arguments>
  explicit RecordedCall(R (*function)(Arguments...)) noexcept {
    if (TraceObserver* const recorder = observer_of_parts()) [[unlikely]] {
      const auto code = reinterpret_cast<CodeAddress>(function);
      recorder->begin_part(TraceEvent::kCallBegin, reinterpret_cast<std::uintptr_t>(code), 0, code,
                           {});
    }
  }
  ~RecordedCall() { trace(trace_observer(), TraceEvent::kCallEnd); }
  RecordedCall(const RecordedCall&) = delete;
  RecordedCall& operator=(const RecordedCall&) = delete;
};

// Calls a callback. Throws CallbackFailed in place of its exception.
template <class F>
void call_back(F&& f) {
  try {
    std::forward<F>(f)();
  } catch (...) {
    throw CallbackFailed();
  }
}

// Copies options; their first member is their size. Members beyond the size of the program become
// zero. Returns false if the size is smaller than that of the first version, or if a member that
// this library does not know is not zero.
template <class Options>
bool copy_options(const Options& from, std::size_t first_size, Options& to) noexcept {
  const std::size_t size = from.size;
  if (size < first_size) return false;
  const char* const bytes = reinterpret_cast<const char*>(&from);
  for (std::size_t i = sizeof(Options); i < size; ++i)
    if (bytes[i] != 0) return false;
  to = {};
  std::memcpy(&to, bytes, size < sizeof(Options) ? size : sizeof(Options));
  return true;
}

// Returns true if a job or a loop of that scheduler makes the call.
inline bool is_inside(const jobs_scheduler& scheduler) {
  return this_context() != nullptr && &Scheduler::current() == &scheduler.get();
}

// Calls f where free functions use that scheduler. Null: the current scheduler.
template <class F>
void on_scheduler(const jobs_scheduler* scheduler, F&& f) {
  if (scheduler == nullptr) return f();
  const WorkerContext* const context = this_context();
  if (context == nullptr) {
    const SchedulerScope scope(scheduler->get());
    return f();
  }
  // An external thread is inside of a loop. A worker of the scheduler calls f in place, too.
  if (context->is_external() && is_inside(*scheduler)) return f();
  scheduler->get().run(f);
}

}  // namespace jobs::inline JOBS_ABI::detail
