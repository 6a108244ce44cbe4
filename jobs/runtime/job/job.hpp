// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Job: the unit of work in the deques and the injector. One word says all there is to know of it:
//
//   run function --taken by the joiner or by a thief--> ... --finish()--> kDone
//   run function --join() suspends--> JoinWaiter | kWaiting --finish()--> kDone, and the waiter is woken
//
// A joined job (fork_join, run) lives in the frame that joins it; the exchange in finish() is the thief's last touch. A detached
// job (spawn) never leaves the first state and frees itself.
#pragma once

#include <cstdint>

#include "jobs/base/annotate.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace job_order {
JOBS_ORDER(kDone, acq_rel);     // [J1] publishes the result; [J2] takes the joiner's node
JOBS_ORDER(kSeeDone, acquire);  // [J1] partner: kDone
JOBS_ORDER(kLink, release);     // [J2] publishes the joiner's node; partner: kDone, kRun
JOBS_ORDER(kRun, acquire);      // [J2] a thief that comes late to the word; partner: kLink
}  // namespace job_order

class Job {
 public:
  using Run = void (*)(Job&);

  explicit Job(Run function) noexcept : state_(encode(function)) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Runs it, once, on whatever worker took it.
  void run() {
    sanitizer::take_over(this);
    entry()(*this);
  }
  // What run() calls. As long as nobody has called it.
  Run entry() const noexcept {
    const std::uintptr_t state = state_.load(job_order::kRun);
    // A joiner that found its job stolen may have linked itself before the thief came to read the word.
    return is_waiter(state) ? waiter(state)->run : reinterpret_cast<Run>(state);
  }

  bool is_done() const noexcept { return state_.load(job_order::kSeeDone) == kDone; }

  // The thief's last touch: the joiner may destroy the job as soon as it sees it.
  void finish() noexcept {
    const std::uintptr_t old = state_.exchange(kDone, job_order::kDone);
    if (is_waiter(old)) wake(waiter(old)->wakeup);
  }

  // Waits for a job that another took: spins about as long as a cache line travels there and back, then suspends the fiber, or
  // parks the external thread. Never runs another job on this stack. `kind`: for reports.
  JOBS_EXPORT void join(WaitKind kind = WaitKind::kJob) noexcept;

  Plain<Job*> next;  // link of whatever list it is in; nothing before that

 private:
  struct JoinWaiter {
    Wakeup wakeup;
    Run run;
  };

  static constexpr std::uintptr_t kDone = 0;
  static constexpr std::uintptr_t kWaiting = std::uintptr_t{1}
                                             << 63;  // user addresses never have it; functions may be odd

  static std::uintptr_t encode(Run function) noexcept { return reinterpret_cast<std::uintptr_t>(function); }
  static bool is_waiter(std::uintptr_t state) noexcept { return (state & kWaiting) != 0; }
  static JoinWaiter* waiter(std::uintptr_t state) noexcept { return reinterpret_cast<JoinWaiter*>(state & ~kWaiting); }

  Atomic<std::uintptr_t> state_;
};

}  // namespace jobs::inline JOBS_ABI::detail
