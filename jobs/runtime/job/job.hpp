// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Job: the unit of work in the deques and the injector.
//
// Owner: the joining frame owns a joined job (fork_join, run). A detached job (spawn) owns itself:
// its word never leaves the first state, and the job frees itself.
//
// Threads: the thread that took the job from a queue calls run(), once. The same thread calls
// finish(), once, as its last access. One thread, the joiner, calls join(). Any thread that knows
// the job to be alive may call is_done().
//
// State: one word holds the whole state.
//
//   run function --the joiner or a thief takes the job--> ... --finish()--> kDone
//   run function --join() suspends--> JoinWaiter | kWaiting --finish()--> kDone, wakes the waiter
//
// Protocol of a stolen job:
//
//   thief                                      joiner
//   step 1: entry() reads the run function     step 1: spins until the word is kDone
//   step 2: calls the run function             step 2: links its JoinWaiter [job.2]
//   step 3: finish() exchanges kDone [job.1]   step 3: suspends
//   step 4: wakes the waiter that it replaced
//
// Proof. The joiner's compare-exchange and the thief's exchange act on the same word, so exactly
// one of two orders holds. If the exchange comes first, the compare-exchange fails, and the joiner
// returns with the result. Otherwise the thief replaces the waiter, and wakes it. A slow thief may
// read the word after the joiner's step 2; the JoinWaiter therefore carries the run function, too.
// The exchange is the thief's last access to the job; the JoinWaiter lives until the wake-up.
#pragma once

#include <cstdint>

#include "jobs/base/annotate.hpp"
#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace job_order {
JOBS_ORDER(kDone, acq_rel);     // [job.1] publishes the result; [job.2] acquires the JoinWaiter
JOBS_ORDER(kSeeDone, acquire);  // [job.1] partner: kDone
JOBS_ORDER(kLink, release);     // [job.2] publishes the JoinWaiter; partners: kDone, kRun
JOBS_ORDER(kRun, acquire);      // [job.2] for a thief that reads the word late; partner: kLink
}  // namespace job_order

class Job {
 public:
  using Run = void (*)(Job&);

  explicit Job(Run function) noexcept : state_(encode(function)) {}
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Runs the job. The thread that took the job from a queue calls it, once.
  JOBS_ALWAYS_INLINE void run() {
    sanitizer::annotate_acquire(this);
    entry()(*this);
  }
  // Returns the function that run() calls. Valid until that function is called.
  Run entry() const noexcept {
    const std::uintptr_t state = state_.load(job_order::kRun);
    // The joiner of a stolen job may link itself before the thief reads the word.
    return is_waiter(state) ? waiter(state)->run : reinterpret_cast<Run>(state);
  }

  bool is_done() const noexcept { return state_.load(job_order::kSeeDone) == kDone; }

  // Marks the job as done and wakes the joiner. The exchange is the thief's last access: a joiner
  // that sees kDone may destroy the job.
  void finish() noexcept {
    const std::uintptr_t old = state_.exchange(kDone, job_order::kDone);
    if (is_waiter(old)) wake(waiter(old)->wakeup);
  }

  // Waits until another thread has finished the job. Joiner only, once. Spins for about the round
  // trip of a cache line, then suspends the fiber or parks the external thread. Never runs another
  // job on this stack. `kind`: the kind of wait that reports show.
  JOBS_EXPORT void join(WaitKind kind = WaitKind::kJob) noexcept;

  Plain<Job*> next;  // link of the list that contains the job; uninitialised outside lists

 private:
  struct JoinWaiter {
    Wakeup wakeup;
    Run run;
  };

  static constexpr std::uintptr_t kDone = 0;
  // User addresses never have bit 63. Bit 0 would not do: functions may have odd addresses.
  static constexpr std::uintptr_t kWaiting = std::uintptr_t{1} << 63;

  static std::uintptr_t encode(Run function) noexcept {
    return reinterpret_cast<std::uintptr_t>(function);
  }
  static bool is_waiter(std::uintptr_t state) noexcept { return (state & kWaiting) != 0; }
  static JoinWaiter* waiter(std::uintptr_t state) noexcept {
    return reinterpret_cast<JoinWaiter*>(state & ~kWaiting);
  }

  Atomic<std::uintptr_t> state_;
};

}  // namespace jobs::inline JOBS_ABI::detail
