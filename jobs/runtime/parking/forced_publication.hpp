// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ForcedPublication: decides when a thief may publish a private deque by force, because its owner
// does not react to the request. A forced publication disturbs all threads of the process, so one
// budget limits all schedulers of the process. Each scheduler owns one ForcedPublication; its
// workers call it concurrently.
//
// JOBS_RAID=eager in the environment is for tests: a thief publishes at once, and whenever a deque
// has private jobs. The tests cover two other ways of stealing: the default, and JOBS_FENCED=1,
// with which every deque is public (base/asymmetric_fence.hpp).
#pragma once

#include <algorithm>

#include "jobs/base/atomic.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Allows one forced publication in 50 us. Each one that finds nothing doubles the pause, up to
// 400 us.
class ForcedPublicationBudget {
 public:
  // A forced publication costs each running thread up to 7 us in a virtual machine, and 1 us on
  // real hardware.
  static constexpr os::Nanoseconds kPause = 50'000;
  static constexpr os::Nanoseconds kLongestPause = 8 * kPause;

  // Takes the budget. If it returns true, the caller publishes by force and calls record() with the
  // result. Any thread.
  bool take(os::Nanoseconds now) noexcept {
    os::Nanoseconds next = next_.load(std::memory_order_relaxed);
    return now >= next &&
           next_.compare_exchange_strong(next, now + kPause, std::memory_order_relaxed);
  }
  // `now`: the argument of take(). The result is a hint: another forced publication may have begun
  // meanwhile.
  void record(bool found, os::Nanoseconds now) noexcept {
    const os::Nanoseconds pause =
        found ? kPause : std::min(2 * pause_.load(std::memory_order_relaxed), kLongestPause);
    pause_.store(pause, std::memory_order_relaxed);
    if (!found) next_.store(now + pause, std::memory_order_relaxed);
  }

 private:
  Atomic<os::Nanoseconds> next_{0};
  Atomic<os::Nanoseconds> pause_{kPause};
};

// Returns the budget of the process. Each simulation has a budget of its own.
ForcedPublicationBudget& forced_publication_budget() noexcept;

class ForcedPublication {
 public:
  // Reads the environment.
  ForcedPublication() noexcept;

  // Publishes the private deque of `victim` by force if its owner has not reacted for too long, and
  // the budget allows it. `requested_at`: the time of the request to the owner; 0: this call is the
  // first one. The call sets it, and resets it after a forced publication. Returns whether it
  // published.
  template <class Victim>
  bool force_if_due(Victim& victim, os::Nanoseconds& requested_at) noexcept {
    const os::Nanoseconds now = os::now();
    if (requested_at == 0) requested_at = now;
    if (!may_force(requested_at, now)) return false;
    victim.force_publish();
    if (!eager_) budget_.record(!victim.looks_empty(), now);
    requested_at = 0;
    return true;
  }

 private:
  bool may_force(os::Nanoseconds requested, os::Nanoseconds now) noexcept;

  const bool eager_;
  ForcedPublicationBudget& budget_;
};

}  // namespace jobs::inline JOBS_ABI::detail
