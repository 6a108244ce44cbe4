// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ThreadControl: the control block of a thread that plays a Fiber (ThreadFiber). The thread is the
// bound thread of a scheduler, whose root fiber it adopts, or an external thread, which gets a
// ThreadHost. ThreadFiber owns it; its FiberRefs share it. Only the thread may call begin() and
// end().
//
// The fiber keeps the id 0 of a thread, so that locks know their owner as before. The scheduler
// does not count it as a job.
#pragma once

#include <source_location>
#include <string>
#include <utility>

#include "jobs/runtime/fibers/fiber_control.hpp"

namespace jobs::inline JOBS_ABI::detail {

class ThreadControl final : public FiberControl {
 public:
  // The calling thread plays a new Fiber from now on. The caller passes the result to end(). Throws
  // Error(kBadArgument) in a job or Fiber, and if the thread plays a Fiber already;
  // std::bad_alloc. `shared`: its scheduler.
  JOBS_EXPORT static ThreadControl* begin(Shared& shared, std::string name,
                                          const std::source_location& site);
  // Aborts if the calling thread does not play this Fiber.
  JOBS_EXPORT void end() noexcept;

 private:
  ThreadControl(FiberOptions&& options, const std::source_location& site)
      : FiberControl(std::move(options), site) {}

  void execute_body() override {}

  bool hosts_thread_ = false;  // true: the ThreadHost is the one of begin()
};

}  // namespace jobs::inline JOBS_ABI::detail
