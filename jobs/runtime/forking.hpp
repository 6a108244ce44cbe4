// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// fork(): a child process has the one thread that called it. What the process shares, the lists of schedulers and fibers and the
// default scheduler, begins anew there; a scheduler that was inherited has lost its threads, and knows it by the generation.
//
// No lock of ours is held by a thread that the child does not have: those that guard what the child begins anew are re-made there,
// and those that it goes on to use are taken before the fork. All else belongs to one scheduler, which the child leaves alone.
#pragma once

#include <mutex>

#include "jobs/base/config.hpp"
#include "jobs/base/thread.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SchedulerCore;

// Written by the only thread of a new process.
extern constinit unsigned fork_generation;

// Held while a scheduler asks the machine what it is: answers that are asked for once per process are then there, or nobody is
// asking, at each fork.
[[nodiscard]] std::unique_lock<ThreadMutex> first_questions() noexcept;

// A member of what a child process must not use.
class ForkMark {
 public:
  bool is_inherited() const noexcept { return made_in_ != fork_generation; }
  // Throws Error(kForked) if it is.
  void check() const {
    if (is_inherited()) [[unlikely]]
      refuse();
  }

 private:
  [[noreturn]] static void refuse();

  const unsigned made_in_ = fork_generation;
};

// By the child: the default scheduler starts anew at its next use.
void forget_default_core() noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
