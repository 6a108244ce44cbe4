// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// TaskFrame: the part of the coroutine of a Task that does not depend on its result. TaskRun: a
// worker runs coroutines, one after another, on one stack.
//
// Owner: the frame of a coroutine contains its TaskFrame, as the base of its promise. The Task owns
// the frame; a started task owns itself. A TaskRun lies on the stack of the job that runs it. While
// a coroutine runs, only its thread accesses the two.
//
// Protocol: a coroutine names its next step and suspends itself; TaskRun takes the step after the
// coroutine has returned to it.
//   step 1  co_await of a task: run() continues with that task.
//   step 2  The end of an awaited task: run() continues with the task that awaits it.
//   step 3  The end of any other task: run() reports the end, and returns.
//   step 4  co_await of anything else: run() publishes the wait, and returns. If the wait has ended
//           already, run() continues with the same coroutine.
//
// Therefore a chain of tasks of any length needs no stack, and a wait is published after its
// coroutine has left the stack. A wake-up that comes early finds a suspended coroutine.
//
// Rejected: symmetric transfer, where await_suspend() returns the next coroutine. It needs a tail
// call, which g++ 12 makes neither without optimisation nor with a sanitizer. A wait would also be
// published inside await_suspend(), which compilers may inline into the coroutine; the inlined code
// may access the frame after another thread has destroyed it.
#pragma once

#include <coroutine>
#include <cstddef>
#include <source_location>

#include "jobs/base/config.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/runtime/diagnostics/waiting_tasks.hpp"

namespace jobs::inline JOBS_ABI::detail {

class TaskRun;
struct TaskFrame;

// A wait of a coroutine, in its frame.
class TaskStep : public WaitingTask {
 public:
  // Publishes the wait, after the coroutine has suspended. Returns true if the wait has ended
  // already: the caller continues with the coroutine. Otherwise the wait resumes the coroutine, and
  // its frame may be destroyed by then.
  virtual bool begin() noexcept = 0;

 protected:
  ~TaskStep() = default;
};

struct TaskFrame {
  // Reports the end of a task that no task awaits. Called after the coroutine has suspended.
  using End = void (*)(TaskFrame& frame) noexcept;

  TaskFrame() = default;
  TaskFrame(const TaskFrame&) = delete;
  TaskFrame& operator=(const TaskFrame&) = delete;

  // Frames come from the heap of the library.
  static void* operator new(std::size_t size) { return heap_allocate(size); }
  static void operator delete(void* memory, std::size_t size) noexcept {
    heap_deallocate(memory, size);
  }

  std::coroutine_handle<> handle;
  TaskRun* run = nullptr;         // that runs it; otherwise meaningless
  TaskFrame* awaiting = nullptr;  // the task that awaits it; null: `end` reports its end
  End end = nullptr;
  void* end_argument = nullptr;  // for `end`
  std::source_location site;     // the latest co_await, for reports
};

class TaskRun {
 public:
  TaskRun() = default;
  TaskRun(const TaskRun&) = delete;
  TaskRun& operator=(const TaskRun&) = delete;

  // Runs the coroutine, and the coroutines that follow, until none can continue here. On a worker
  // or an external participant, in a job. pre: the coroutine is suspended.
  JOBS_EXPORT void run(TaskFrame& frame) noexcept;

  // --- the running coroutine, which then suspends itself ---
  void transfer_to(TaskFrame& next) noexcept { next_ = &next; }
  void wait_for(TaskStep& step) noexcept { step_ = &step; }
  void end(TaskFrame& frame) noexcept {
    next_ = frame.awaiting;
    if (next_ == nullptr) ended_ = &frame;
  }

 private:
  TaskFrame* next_ = nullptr;
  TaskStep* step_ = nullptr;
  TaskFrame* ended_ = nullptr;
};

}  // namespace jobs::inline JOBS_ABI::detail
