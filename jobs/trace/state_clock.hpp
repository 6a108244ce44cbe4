// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StateClock: the time that a thread spends in each of its states. The thread enters states; any
// thread may read the times, including the time in the state that has not ended.
//
// Invariant: between two calls of enter(), the times of all states add up to the time from the
// start to the last change.
//
// Protocol:
//
//   writer, enter(next)                         reader
//   step 1: adds the time since the last        step 1: loads the position [state_clock.1]
//           change to its state [counters.1]    step 2: loads the times of all states
//   step 2: stores the position: the time of    step 3: starts again if the invariant is broken
//           the change, and the next state
//           [state_clock.1]
//
// Proof. A reader that sees the position of step 2 sees the times of step 1, and of all earlier
// changes. If it also sees a time of a later change, the sum is too large, unless the later change
// has added 0. Without the order, a missing time and a later one of the same length could cancel
// each other out.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "jobs/base/atomic.hpp"
#include "jobs/base/counters.hpp"
#include "jobs/base/spin.hpp"

namespace jobs::inline JOBS_ABI::trace::detail {

namespace state_clock_order {
JOBS_ORDER(kOwn, relaxed);      // only the writer stores it
JOBS_ORDER(kPublish, release);  // [state_clock.1] publishes the times; partner: kSee
JOBS_ORDER(kSee, acquire);      // [state_clock.1] partner: kPublish
}  // namespace state_clock_order

// What a worker does.
enum class WorkerState : std::uint8_t {
  kUseful,     // runs a job or a Fiber
  kScheduler,  // chooses the next job or fiber
  kSearching,  // has no work, and searches for jobs of other workers
  kParked,     // sleeps
  kOwnCode,    // a bound thread runs code of its own
  kUnmeasured,
};
inline constexpr std::size_t kWorkerStates = 6;

// Times in ticks, by state.
using StateTimes = std::array<std::uint64_t, kWorkerStates>;

class StateClock {
 public:
  // Starts in `state` at that time. Writer only, once.
  void start(WorkerState state, std::uint64_t now) noexcept {
    start_.store(now, state_clock_order::kOwn);
    position_.store(pack(state, now), state_clock_order::kPublish);
  }
  bool has_started() const noexcept { return position_.load(state_clock_order::kOwn) != 0; }

  // Ends the present state and begins `next`. Writer only.
  void enter(WorkerState next, std::uint64_t now) noexcept {
    const std::uint64_t position = position_.load(state_clock_order::kOwn);
    const std::uint64_t last = time_of(position);
    now = std::max(now, last);
    times_[state_of(position)].add(now - last);
    position_.store(pack(next, now), state_clock_order::kPublish);
  }
  // The time of the last change. Writer only.
  std::uint64_t changed_at() const noexcept {
    return time_of(position_.load(state_clock_order::kOwn));
  }

  // Returns the times until `now`. The present state counts unless it is kOwnCode: a bound thread
  // may have left its worker meanwhile. Any thread.
  StateTimes read(std::uint64_t now) const noexcept {
    StateTimes times{};
    jobs::detail::Spin spin;
    for (int attempt = 0; attempt < kAttempts; ++attempt, spin.once()) {
      const std::uint64_t position = position_.load(state_clock_order::kSee);
      if (position == 0) return {};
      std::uint64_t sum = 0;
      for (std::size_t i = 0; i < kWorkerStates; ++i) sum += times[i] = times_[i].read();
      const std::uint64_t last = time_of(position);
      if (sum != last - start_.load(state_clock_order::kOwn)) continue;
      if (now > last && state_of(position) != static_cast<std::size_t>(WorkerState::kOwnCode))
        times[state_of(position)] += now - last;
      break;
    }
    return times;
  }

 private:
  // A change takes nanoseconds, unless the kernel takes the CPU of the writer away. The limit,
  // about 15 ms, is for a writer that a fork has stopped within a change.
  static constexpr int kAttempts = 100;
  static constexpr unsigned kStateBits = 3;

  static std::uint64_t pack(WorkerState state, std::uint64_t time) noexcept {
    return time << kStateBits | static_cast<std::uint64_t>(state);
  }
  static std::uint64_t time_of(std::uint64_t position) noexcept { return position >> kStateBits; }
  static std::size_t state_of(std::uint64_t position) noexcept {
    return position & ((1u << kStateBits) - 1);
  }

  jobs::detail::Atomic<std::uint64_t> position_{0};  // 0: not started
  jobs::detail::Atomic<std::uint64_t> start_{0};
  std::array<jobs::detail::SingleWriterCounter, kWorkerStates> times_;
};

}  // namespace jobs::inline JOBS_ABI::trace::detail
