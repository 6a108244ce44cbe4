// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `StopGate`, a std::stop_token as an event core, for the length of a wait.
//
// Owner: the frame of the wait. The token runs its callbacks on the thread that requests the stop.
// The callback of this class opens the core, and park() watches the core (park.hpp).
#pragma once

#include <stop_token>

#include "jobs/base/annotate.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/sync/core/event_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StopGate {
 public:
  // If the stop was requested before, the core is open from the start.
  explicit StopGate(const std::stop_token& token)
      : gate_(1), is_watched_(token.stop_possible()), callback_(token, Open{gate_}) {}
  StopGate(const StopGate&) = delete;
  StopGate& operator=(const StopGate&) = delete;

  // For Until::stop. Null if the token can never request a stop; then the wait does not watch it.
  Gate* get() noexcept { return is_watched_ ? &gate_ : nullptr; }

 private:
  struct Open {
    Gate& gate;
    void operator()() const noexcept { gate.open(); }
  };

  Gate gate_;
  const bool is_watched_;
#if defined(JOBS_HAND_OVER)
  // Runs after the callback. The standard library orders the last actions of the callback before a
  // destructor on another thread only; here the destructor may run in another fiber of the same
  // thread.
  struct End {
    ~End() {
      if (gate.is_open() && this_thread().host != nullptr) sanitizer::take_over(this_thread().host);
    }
    const Gate& gate;
  };
  const End end_{gate_};
#endif
  // Its destructor waits for a callback that is running. A callback never suspends.
  StopCallback<Open> callback_;
};

}  // namespace jobs::inline JOBS_ABI::detail
