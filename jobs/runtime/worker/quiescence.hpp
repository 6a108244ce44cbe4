// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Quiescence: whether a scheduler accepts jobs from outside, and whether all accepted work has
// ended. Each scheduler owns one (Shared). Any thread may call admit() and is_open(). Workers call
// before_park(). Threads that shut the scheduler down call close(), and then take the turn: only
// the thread that has it calls drain() and stop().
//
// Quiescence without a shared counter:
//   State   Each WorkerContext counts the jobs submitted there and the jobs finished there. Each
//           counter has one writer. Two further counters exist for jobs from external threads.
//   step 1  has_ended() adds the counters of finished jobs.
//   step 2  It adds the counters of submitted jobs, and compares the sums.
// Proof: both sums only grow, and finished <= submitted at any time. If the later sum of submitted
// jobs equals the earlier sum of finished jobs, no job was outstanding between the two steps. Only
// running jobs, external participants and daemons could submit further jobs.
//
// Participants: jobs and children that an external participant runs or forks need not count,
// because the drain waits until all participants have left their slots. A participant may submit
// jobs during a drain. drain() looks at the slots before it looks at the counters. If all slots are
// free, each job of a participant is counted, and the state refuses further participants.
//
// Blocking calls: the thread of a blocking call may submit jobs and take a slot during a drain,
// because a fiber of the scheduler waits for the call. If the fiber counts, the drain waits for the
// fiber. If it is a daemon, the call is a part of the daemon. Two rules keep the proofs valid: jobs
// that the drain accepts count as changes like the jobs of workers (accept()), and the thread calls
// before_park() after the jobs that it has run itself, as a worker does.
//
// Daemons do not count while they run, and may submit jobs. The drain ends if no daemon lives, all
// jobs have ended, and no worker or blocking call has submitted a job between a look at the number
// of its jobs and the looks for daemons and quiescence. A daemon that lives at the end was
// submitted before the first look, so the look for daemons would have found it. Other jobs from
// outside are left out: none is accepted by then, and refused ones may come all the time and must
// not delay the end.
//
// The end of a drain: a worker that has finished the last job executes a full fence and finds
// quiescence before it parks, and signals drained_. Of two workers that finish the last two jobs,
// at least one sees both. The drain executes a full fence before its first look, so it or the
// worker sees quiescence (Dekker's pattern). Before each further look, the drain resets drained_.
// The look sees the jobs of each signal before the reset; a later signal ends the next wait.
//
// A worker with a daemon that yields may never park. It finds quiescence between two turns instead,
// once in a while, and so also after its last job.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"
#include "jobs/sync/event.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace quiescence_order {
// [quiescence.1] A submission counts its job, then loads the state. A shutdown stores the state,
// then loads the counters. So a late submission is refused, or the shutdown waits for its job.
JOBS_ORDER(kAdmit, seq_cst);  // partner: kDrain
JOBS_ORDER(kDrain, seq_cst);  // partner: kAdmit
}  // namespace quiescence_order

class Quiescence {
 public:
  Quiescence() noexcept { turn_.signal(); }

  // --- any thread ---
  bool is_open() const noexcept { return state_.load(quiescence_order::kAdmit) == State::kOpen; }
  // As is_open(), as a hint.
  bool seems_open() const noexcept {
    return state_.load(std::memory_order_relaxed) == State::kOpen;
  }
  bool is_stopped() const noexcept {
    return state_.load(quiescence_order::kAdmit) == State::kStopped;
  }
  // Counts a job from outside as submitted. Returns whether the scheduler is open. If it is not,
  // the caller either owns a participant slot, and submits the job, or calls refuse() and
  // before_park().
  bool admit() noexcept {
    spawned_outside_.fetch_add(1, quiescence_order::kAdmit);
    return is_open();
  }
  // The caller submits the job that admit() has counted, although the scheduler drains. pre: the
  // calling thread runs a blocking call of a fiber of the scheduler.
  void accept() noexcept { accepted_.fetch_add(1, quiescence_order::kAdmit); }
  // Returns how many jobs admit() has counted. A hint.
  std::uint64_t submitted_outside() const noexcept {
    return spawned_outside_.load(std::memory_order_relaxed);
  }
  // Counts a job that admit() has counted as finished.
  void refuse() noexcept { refused_outside_.fetch_add(1, quiescence_order::kAdmit); }

  // --- workers ---
  // A worker calls it before it sleeps. If the scheduler drains and all jobs have ended, it wakes
  // the thread that shuts the scheduler down. `has_ended()`: has_ended() of this object.
  template <class HasEnded>
  void before_park(const HasEnded& has_ended) noexcept {
    // Pairs with the fences of close() and drain().
    full_fence(quiescence_order::kDrain);
    if (state_.load(quiescence_order::kDrain) == State::kDraining && has_ended()) drained_.signal();
  }

  // A worker that always has a ready fiber never sleeps. It calls this once in a while instead.
  // `check()` calls before_park().
  template <class Check>
  void between_turns(const Check& check) const noexcept {
    if (!seems_open()) check();
  }

  // --- threads that shut the scheduler down ---
  // Refuses further work from outside. Idempotent.
  void close() noexcept {
    State open = State::kOpen;
    state_.compare_exchange_strong(open, State::kDraining, quiescence_order::kDrain,
                                   std::memory_order_relaxed);
    full_fence(quiescence_order::kDrain);
  }
  // Waits for the turn. Returns false if the deadline passes first. An Event serves as the lock,
  // because a fiber of another scheduler may wait for it. pre: the caller is shielded from
  // interrupts.
  bool take_turn(os::Nanoseconds deadline) { return wait_until(turn_, deadline); }
  // Later calls of take_turn() see all that precedes. After it, this thread does not access the
  // object.
  void give_turn() noexcept { turn_.signal(); }

  // --- the thread that has the turn ---
  // Waits until all external participants have left, all jobs have ended, and no daemon lives.
  // Returns false if the deadline passes first; the call may be repeated.
  // `work`: has_participants(), has_ended() and submitted() observe the scheduler; before_wait() is
  // called before each wait, and returns whether it must be called again soon; stop_daemons() makes
  // each daemon count as submitted, and requests its stop. pre: the caller is shielded from
  // interrupts.
  template <class Work>
  bool drain(os::Nanoseconds deadline, Work&& work) {
    for (;;) {
      if (!wait_for_end(deadline, work)) return false;
      const std::uint64_t before = accepted(work);
      work.stop_daemons();
      // A worker may have parked while a daemon that had ended counted as submitted.
      full_fence(quiescence_order::kDrain);
      if (work.has_ended() && accepted(work) == before) return true;
    }
  }
  // All workers have ended.
  void stop() noexcept { state_.store(State::kStopped, quiescence_order::kDrain); }

  // --- any thread ---
  // Returns whether all jobs have ended. `contexts(visit)`: calls visit() with each worker context.
  template <class Contexts>
  bool has_ended(const Contexts& contexts) const noexcept {
    return outstanding(contexts) == 0;
  }
  // Returns the number of jobs that were submitted and have not ended. At least that number; exact
  // if no job ends during the call.
  template <class Contexts>
  std::uint64_t outstanding(const Contexts& contexts) const noexcept {
    std::uint64_t finished = refused_outside_.load(quiescence_order::kDrain);
    contexts([&finished](const auto& context) { finished += context.finished.read(); });
    return submitted(contexts) + spawned_outside_.load(quiescence_order::kDrain) - finished;
  }
  // Returns the number of jobs that workers have submitted.
  template <class Contexts>
  std::uint64_t submitted(const Contexts& contexts) const noexcept {
    std::uint64_t sum = 0;
    contexts([&sum](const auto& context) { sum += context.spawned.read(); });
    return sum;
  }

 private:
  enum class State : std::uint32_t { kOpen, kDraining, kStopped };

  static constexpr os::Nanoseconds kInterval = 1'000'000;

  // The number of jobs that workers and blocking calls have submitted during the drain, and others.
  template <class Work>
  std::uint64_t accepted(Work& work) const noexcept {
    return work.submitted() + accepted_.load(quiescence_order::kDrain);
  }

  template <class Work>
  bool wait_for_end(os::Nanoseconds deadline, Work& work) {
    for (;;) {
      const bool has_participants = work.has_participants();
      if (!has_participants && work.has_ended()) return true;
      const os::Nanoseconds now = os::now();
      if (now >= deadline) return false;
      // A participant leaves without a signal, so this thread looks in intervals.
      const bool looks_again = work.before_wait() || has_participants;
      wait_until(drained_, looks_again ? std::min(deadline, now + kInterval) : deadline);
      drained_.reset();
    }
  }

  static bool wait_until(Event& event, os::Nanoseconds deadline) {
    return event.wait_until(
        std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)));
  }

  Atomic<State> state_{State::kOpen};
  Event drained_;
  Event turn_{Event::Reset::kAutomatic};
  // On a line of its own: external threads read the state, and write these.
  alignas(kDestructiveDistance) Atomic<std::uint64_t> spawned_outside_{0};
  Atomic<std::uint64_t> refused_outside_{0};
  Atomic<std::uint64_t> accepted_{0};  // by a drain
};

}  // namespace jobs::inline JOBS_ABI::detail
