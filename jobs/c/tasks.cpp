// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Tasks for physics engines: an enqueue function and a finish function.
#include "jobs/c/tasks.h"

#include <algorithm>
#include <memory>

#include "jobs/c/border.hpp"
#include "jobs/cancel.hpp"
#include "jobs/parallel_for.hpp"
#include "jobs/spawn.hpp"

namespace {

struct Task {
  jobs_task_function* function;
  int32_t count;
  int32_t min_range;
  void* context;
  // Index of a thread that is no worker. One such thread at most takes part: the thread that waits.
  uint32_t external_index;

  // noexcept: an exception of the function ends the program.
  void run_part(int32_t begin, int32_t end) const noexcept {
    const auto worker = jobs::worker_index();
    const jobs::detail::RecordedCall call(function);
    function(begin, end, worker ? *worker : external_index, context);
  }
  void operator()() const {
    const jobs::detail::RecordedCall call(function);
    jobs::parallel_for(
        int32_t{0}, count, [this](int32_t begin, int32_t end) { run_part(begin, end); },
        jobs::Grain(static_cast<std::size_t>(min_range)));
  }
};

}  // namespace

uint32_t jobs_task_thread_count(jobs_scheduler* scheduler) noexcept {
  const uint32_t workers = jobs_worker_count(scheduler);
  return workers == 0 ? 0 : workers + 1;
}

void* jobs_enqueue_task(jobs_task_function* function, int32_t count, int32_t min_range,
                        void* task_context, void* user_context) noexcept {
  if (function == nullptr || count <= 0) return nullptr;
  auto* const scheduler = static_cast<jobs_scheduler*>(user_context);
  const Task task{function, count, std::max(min_range, int32_t{1}), task_context,
                  jobs_worker_count(scheduler)};
  try {
    auto done = std::make_unique<jobs::Counter>();
    if (scheduler != nullptr) {
      scheduler->get().spawn(*done, task);
    } else {
      jobs::spawn(*done, task);
    }
    return done.release();
  } catch (...) {
    // The caller may be a worker of another scheduler, so its own index may be too large.
    function(0, count, task.external_index, task_context);
    return nullptr;
  }
}

void jobs_finish_task(void* user_task, void*) noexcept {
  if (user_task == nullptr) return;
  const std::unique_ptr<jobs::Counter> done(static_cast<jobs::Counter*>(user_task));
  const jobs::CancelShield shield;
  done->wait();
}
