// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
/// @file
/// FiberOptions are the options of a new Fiber; jobs/fiber.hpp takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/priority.hpp"

namespace jobs::inline JOBS_ABI {

/// Point in time at which a Fiber starts to run.
enum class FiberStart : std::uint8_t {
  /// When a worker takes it, like a job.
  kLater,
  /// At once, in place of its creator; on a thread that is not a worker: kLater.
  ///
  /// The creator continues when the Fiber waits for the first time or ends.
  kNow,
  /// When a call schedules it for the first time.
  kSuspended,
};

/// Options of a new Fiber.
struct FiberOptions {
  /// Name in messages and debuggers. Empty: no name.
  std::string name = {};
  /// Bytes of stack, from 16 KiB to 1 GiB; 0: the size of a job's stack.
  ///
  /// A job's stack has SchedulerOptions::stack_size. Another value gives the Fiber a stack of its
  /// own, which costs one more switch. Its size is the next one of 16 KiB, 64 KiB, 256 KiB, 1 MiB
  /// and the powers of two above. If the stack of the worker's loop is equally small, the Fiber
  /// runs on that stack. A small stack costs less address space and fewer page tables; the system
  /// supplies memory page by page in any case. A value out of range throws Error(kBadArgument).
  std::size_t stack_size = 0;
  /// Point in time at which the Fiber starts to run.
  FiberStart start = FiberStart::kLater;
  /// true: the Fiber does not keep the scheduler from shutting down.
  ///
  /// When all other work has ended, the scheduler requests the stop of the daemon. The daemon must
  /// then end: by the Cancelled that its wait throws, or because it checks its stop token.
  bool daemon = false;
  /// Which of the waiting jobs begin before the Fiber, and which ready fibers it precedes.
  ///
  /// The Fiber starts like a job of this priority (SpawnOptions::priority). Each time it wakes up,
  /// a critical Fiber runs before the ready fibers of its worker, a high one before those that are
  /// neither critical nor high. Of nine such fibers in a row, one is another one, so that none
  /// starves. yield() goes behind all ready fibers. A low or a background Fiber wakes up like a
  /// normal one, because it owns a stack, and maybe locks. A value that is none of jobs::Priority
  /// throws Error(kBadArgument).
  ///
  /// @snippet fibers.cpp fiber_priority
  Priority priority = Priority::kNormal;
};

}  // namespace jobs::inline JOBS_ABI
