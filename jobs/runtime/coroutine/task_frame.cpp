// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/task_frame.hpp"

#include <utility>

namespace jobs::inline JOBS_ABI::detail {

void TaskRun::run(TaskFrame& frame) noexcept {
  for (TaskFrame* current = &frame; current != nullptr;) {
    current->run = this;
    current->handle.resume();
    if (TaskStep* const step = std::exchange(step_, nullptr)) {
      if (!step->begin()) return;
    } else if (TaskFrame* const ended = std::exchange(ended_, nullptr)) {
      return ended->end(*ended);
    } else {
      current = std::exchange(next_, nullptr);
    }
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
