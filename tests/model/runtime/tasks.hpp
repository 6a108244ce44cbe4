// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The common parts of the models of tasks. Their programs use the scheduler of waiting_jobs.
#pragma once

#include <cstddef>

#include "jobs/coroutine.hpp"
#include "jobs/runtime/worker/shared.hpp"

namespace jobs::model {

using Effect = detail::Plain<int>;

// A job that begins a task. The end of the task destroys its frame.
class Begin : public detail::Job {
 public:
  explicit Begin(Task<> task) : Job(&run), frame_(*task.release()) {
    frame_.end = [](detail::TaskFrame& frame) noexcept { frame.handle.destroy(); };
  }

 private:
  static void run(Job& job) {
    detail::TaskRun run;
    run.run(static_cast<Begin&>(job).frame_);
    detail::this_context()->finished.add(1);
  }

  detail::TaskFrame& frame_;
};

// Worker `index` runs the task first.
inline void begin_on(detail::Shared& shared, std::size_t index, Begin& begin) {
  shared.context(index).push(begin);
}

}  // namespace jobs::model
