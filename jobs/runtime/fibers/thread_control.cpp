// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/fibers/thread_control.hpp"

#include <utility>

#include "jobs/error.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

ThreadControl* ThreadControl::begin(Shared& shared, std::string name,
                                    const std::source_location& site) {
  ThreadState& thread = this_thread();
  if (thread.host != nullptr) {
    const FiberCore& fiber = thread.host->current();
    if (fiber.id != 0 || fiber.control != nullptr)
      throw Error(ErrorCode::kBadArgument, "ThreadFiber: only on a thread, and once at a time");
  }
  auto* const control = new ThreadControl({.name = std::move(name)}, site);
  if (thread.host == nullptr) {
    JOBS_TRY { thread.host = new ThreadHost; }
    JOBS_CATCH_ALL {
      delete static_cast<FiberControl*>(control);
      JOBS_RETHROW;
    }
    control->hosts_thread_ = true;
  }
  control->begin_on_thread(shared, thread.host->current());
  return control;
}

void ThreadControl::end() noexcept {
  ThreadState& thread = this_thread();
  // A forked child has no host, and its registry does not contain the fiber.
  if (is_inherited()) return;
  if (thread.host == nullptr || of(thread.host->current()) != this)
    contract_violation("ThreadFiber", this, "ended by another thread, or in the wrong order");
  const bool hosts_thread = hosts_thread_;
  end_on_thread(thread.host->current());
  release_joined();
  if (hosts_thread) delete static_cast<ThreadHost*>(std::exchange(thread.host, nullptr));
}

}  // namespace jobs::inline JOBS_ABI::detail
