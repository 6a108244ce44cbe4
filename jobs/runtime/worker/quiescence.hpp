// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Quiescence: whether a scheduler accepts jobs from outside, and whether all accepted work has
// ended. Each scheduler owns one (Shared). Any thread may call admit() and is_open(). Workers call
// before_park(). One thread at a time shuts the scheduler down and calls close() and drain().
//
// Quiescence without a shared counter:
//   State   Each WorkerContext counts the jobs submitted there and the jobs finished there. Each
//           counter has one writer. Two further counters exist for jobs from external threads.
//   step 1  has_ended() adds the counters of finished jobs.
//   step 2  It adds the counters of submitted jobs, and compares the sums.
// Proof: both sums only grow, and finished <= submitted at any time. If the later sum of submitted
// jobs equals the earlier sum of finished jobs, no job was outstanding between the two steps. Only
// running jobs and external participants could submit further jobs.
//
// Participants: jobs and children that an external participant runs or forks need not count,
// because the drain waits until all participants have left their slots. A participant may submit
// jobs during a drain. drain() looks at the slots before it looks at the counters. If all slots are
// free, each job of a participant is counted, and the state refuses further participants.
//
// The end of a drain: a worker that has finished the last job finds quiescence before it parks, and
// signals drained_. The drain resets drained_, executes a full fence, and looks again. Of the
// finishing worker and the drain, at least one sees quiescence (Dekker's pattern). Of two workers
// that finish the last two jobs, at least one sees both.
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
  // Counts a job that admit() has counted as finished.
  void refuse() noexcept { refused_outside_.fetch_add(1, quiescence_order::kAdmit); }

  // --- workers ---
  // A worker calls it before it sleeps. If the scheduler drains and all jobs have ended, it wakes
  // the thread that shuts the scheduler down. `has_ended()`: has_ended() of this object.
  template <class HasEnded>
  void before_park(const HasEnded& has_ended) noexcept {
    // The fence pairs with the fences of close() and drain().
    full_fence(quiescence_order::kDrain);
    if (state_.load(quiescence_order::kDrain) == State::kDraining && has_ended()) drained_.signal();
  }

  // --- the thread that shuts the scheduler down ---
  // Refuses further work from outside. Idempotent.
  void close() noexcept {
    State open = State::kOpen;
    state_.compare_exchange_strong(open, State::kDraining, quiescence_order::kDrain,
                                   std::memory_order_relaxed);
    full_fence(quiescence_order::kDrain);
  }
  // Waits until all external participants have left, and all jobs have ended. Returns false if the
  // deadline passes first. `participants`: the ParticipantSlots. `has_ended()`: has_ended() of this
  // object. `before_wait()`: called before each wait. pre: the caller is shielded from interrupts.
  template <class Participants, class HasEnded, class BeforeWait>
  bool drain(os::Nanoseconds deadline, const Participants& participants, const HasEnded& has_ended,
             const BeforeWait& before_wait) {
    for (;;) {
      const bool has_participants = participants.has_taken(1);
      if (!has_participants && has_ended()) return true;
      const os::Nanoseconds now = os::now();
      if (now >= deadline) return false;
      before_wait();
      // A participant leaves without a signal, so this thread looks in intervals.
      wait_until(has_participants ? std::min(deadline, now + kParticipantCheck) : deadline);
      drained_.reset();
      full_fence(quiescence_order::kDrain);
    }
  }
  // Returns whether all jobs have ended. `contexts(visit)`: calls visit() with each worker context.
  template <class Contexts>
  bool has_ended(const Contexts& contexts) const noexcept {
    std::uint64_t finished = refused_outside_.load(quiescence_order::kDrain);
    contexts([&finished](const auto& context) { finished += context.finished.read(); });
    return submitted(contexts) == finished;
  }
  // Returns the number of jobs that were ever submitted.
  template <class Contexts>
  std::uint64_t submitted(const Contexts& contexts) const noexcept {
    std::uint64_t sum = 0;
    contexts([&sum](const auto& context) { sum += context.spawned.read(); });
    return sum + spawned_outside_.load(quiescence_order::kDrain);
  }
  // All workers have ended.
  void stop() noexcept { state_.store(State::kStopped, quiescence_order::kDrain); }

 private:
  enum class State : std::uint32_t { kOpen, kDraining, kStopped };

  static constexpr os::Nanoseconds kParticipantCheck = 1'000'000;

  void wait_until(os::Nanoseconds deadline) {
    if (deadline == os::kNever) return drained_.wait();
    const std::chrono::steady_clock::time_point when{std::chrono::nanoseconds(deadline)};
    static_cast<void>(drained_.wait_until(when));
  }

  Atomic<State> state_{State::kOpen};
  Event drained_;
  // On a line of its own: external threads read the state, and write these.
  alignas(kDestructiveDistance) Atomic<std::uint64_t> spawned_outside_{0};
  Atomic<std::uint64_t> refused_outside_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
