// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/coroutine/task_code.hpp"

#include <coroutine>
#include <cstring>

#include "jobs/runtime/coroutine/task_frame.hpp"
#include "jobs/runtime/coroutine/task_start.hpp"
#include "jobs/runtime/coroutine/task_wait.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// The frame of a suspended coroutine begins with the address of the function that resumes it. Both
// compilers keep this layout, because code of one resumes coroutines of the other.
std::uint64_t function_of(const void* frame) noexcept {
  std::uintptr_t function = 0;
  std::memcpy(&function, frame, sizeof function);
  return function;
}

}  // namespace

std::uint64_t code_of_job(std::uint64_t entry, std::uint64_t job) noexcept {
  const auto& taken = *reinterpret_cast<const Job*>(static_cast<std::uintptr_t>(job));
  const TaskFrame* frame = TaskWait::frame_of(taken);
  if (frame == nullptr) frame = frame_of_begin(taken);
  return frame != nullptr ? function_of(frame->handle.address()) : entry;
}

}  // namespace jobs::inline JOBS_ABI::detail
