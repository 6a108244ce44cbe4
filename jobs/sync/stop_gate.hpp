// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StopGate: a std::stop_token as a gate, for the length of a wait. The token runs callbacks on the thread that requests the stop;
// ours opens the gate, and a gate is what waits know how to watch (park.hpp).
#pragma once

#include <stop_token>

#include "jobs/base/hand_over.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/sync/gate.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StopGate {
 public:
  // Open from the start if the stop has been requested.
  explicit StopGate(const std::stop_token& token)
      : gate_(1), is_watched_(token.stop_possible()), callback_(token, Open{gate_}) {}
  StopGate(const StopGate&) = delete;
  StopGate& operator=(const StopGate&) = delete;

  // For Until::stop. Null if the stop can never come, so that the wait does not watch it.
  Gate* get() noexcept { return is_watched_ ? &gate_ : nullptr; }

 private:
  struct Open {
    Gate& gate;
    void operator()() const noexcept { gate.open(); }
  };

  Gate gate_;
  const bool is_watched_;
#if defined(JOBS_HAND_OVER)
  // After the callback: the standard library orders the last that its thread does for it before a destructor on another thread only, and
  // here that may be another fiber of the same one.
  struct End {
    ~End() {
      if (gate.is_open() && this_thread().host != nullptr) sanitizer::take_over(this_thread().host);
    }
    const Gate& gate;
  };
  const End end_{gate_};
#endif
  StopCallback<Open> callback_;  // its destructor waits for a callback that runs just now, which never suspends
};

}  // namespace jobs::inline JOBS_ABI::detail
