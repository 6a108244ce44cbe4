// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/task_start.hpp"

#include <coroutine>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "jobs/base/heap.hpp"
#include "jobs/runtime/coroutine/task_result.hpp"
#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/runtime/job/job_code.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/scheduler/spawned_job.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/counter.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The job that begins a task. It is freed first, so that nothing of it is left when the task ends.
class TaskBegin final : public Job, public HeapObject<TaskBegin> {
 public:
  explicit TaskBegin(TaskFrame& frame) noexcept : Job(&begin), frame_(frame) {}

  static const TaskFrame* frame_of(const Job& job) noexcept {
    return job.entry() == &begin ? &static_cast<const TaskBegin&>(job).frame_ : nullptr;
  }

 private:
  static void begin(Job& job) {
    auto* const self = static_cast<TaskBegin*>(&job);
    TaskFrame& frame = self->frame_;
    delete self;
    TaskRun run;
    run.run(frame);
    this_context()->finished.add(1);
  }

  TaskFrame& frame_;
};

void spawn_task(TaskFrame& frame) {
  auto job = std::make_unique<TaskBegin>(frame);
  submit(current_shared(), *job);
  [[maybe_unused]] const TaskBegin* const runs = job.release();
}

void end_waited(TaskFrame& frame) noexcept { static_cast<Event*>(frame.end_argument)->signal(); }

void end_started(TaskFrame& frame) noexcept {
  auto* const counter = static_cast<Counter*>(frame.end_argument);
  std::exception_ptr exception = static_cast<TaskReturn<void>&>(frame).result.exception();
  frame.handle.destroy();
  if (exception && counter == nullptr) report_unhandled(std::exchange(exception, nullptr));
  if (exception) counter->fail(std::exchange(exception, nullptr));
  if (counter != nullptr) counter->done();
}

}  // namespace

// The frame of a suspended coroutine begins with the address of the function that resumes it. Both
// compilers keep this layout, because code of one resumes coroutines of the other.
CodeAddress code_of_task(const Job& job) noexcept {
  const TaskFrame* frame = TaskWait::frame_of(job);
  if (frame == nullptr) frame = TaskBegin::frame_of(job);
  if (frame == nullptr) return nullptr;
  CodeAddress function = nullptr;
  std::memcpy(&function, frame->handle.address(), sizeof function);
  return function;
}

void run_task(TaskFrame& frame) {
  Event ended;
  frame.end = &end_waited;
  frame.end_argument = &ended;
  spawn_task(frame);
  wait_or_cancel(ended, [] {});
}

void start_task(TaskFrame* frame, Counter* counter) {
  if (frame == nullptr) refuse_empty_task();
  frame->end = &end_started;
  frame->end_argument = counter;
  if (counter != nullptr) counter->add();
  try {
    spawn_task(*frame);
  } catch (...) {
    frame->handle.destroy();
    if (counter != nullptr) counter->done();
    throw;
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
