// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/task_result.hpp"

#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

void refuse_empty_task() {
  throw Error(ErrorCode::kBadArgument,
              "Task: it is empty: it was awaited, started or moved before, or has no coroutine");
}

std::exception_ptr current_task_exception() noexcept {
  std::exception_ptr exception = std::current_exception();
  if (!exception)
    contract_violation("Task", nullptr, "pthread_exit() or pthread_cancel() inside a task");
  return exception;
}

}  // namespace jobs::inline JOBS_ABI::detail
