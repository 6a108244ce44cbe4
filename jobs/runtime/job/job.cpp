// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Job: the wait of the joiner. job.hpp has the protocol and its proof.
#include "jobs/runtime/job/job.hpp"

#include "jobs/base/chaos.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// About 200 ns. On the development machine the round trip of a cache line between two cores takes
// 300 ns, and a suspension costs more than that.
constexpr int kSpinsBeforeSuspend = 20;

}  // namespace

void Job::join(WaitKind kind) noexcept {
  for (int i = 0; i < kSpinsBeforeSuspend; ++i) {
    if (is_done()) return;
    cpu_relax();
  }
  chaos::inject_delay();
  const ThreadState& thread = this_thread();
  if (thread.forked_inside && thread.context == nullptr && thread.submitted != this) [[unlikely]] {
    contract_violation("Job", this,
                       "awaited in a child process, forked inside of a job or loop: exec() or "
                       "_exit() there, do not return");
  }
  const WaitingThread here;
  FiberHost& host = here.host();
  // kDone or the function: only the joiner writes another value.
  std::uintptr_t state = state_.load(std::memory_order_relaxed);
  JoinWaiter self{Wakeup(&host.current()), reinterpret_cast<Run>(state)};
  if (state != kDone &&
      state_.compare_exchange_strong(state, reinterpret_cast<std::uintptr_t>(&self) | kWaiting,
                                     job_order::kLink, job_order::kSeeDone)) {
    host.current().waits_for = {kind, this};
    host.suspend(kToken);
    return;
  }
  // The thief has finished in the meantime. The failed exchange or this load acquires the result.
  while (!is_done()) cpu_relax();
}

}  // namespace jobs::inline JOBS_ABI::detail
