// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `StopEvent`, a std::stop_token as an event core, for the length of a wait.
//
// Owner: the frame of the wait. The token runs its callbacks on the thread that requests the
// stop. The callback of this class opens the core, and park() watches the core (park.hpp).
#pragma once

#include <stop_token>

#include "jobs/base/annotate.hpp"
#include "jobs/base/stop_callback.hpp"
#include "jobs/fiber/thread_state.hpp"
#include "jobs/sync/core/event_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StopEvent {
 public:
  // If the stop was requested before, the core is open from the start.
  explicit StopEvent(const std::stop_token& token)
      : event_(1), is_watched_(token.stop_possible()), callback_(token, Open{event_}) {}
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;

  // For WaitLimit::stop. Null if the token can never request a stop; then the wait does not watch
  // it.
  EventCore* get() noexcept { return is_watched_ ? &event_ : nullptr; }

 private:
  struct Open {
    EventCore& event;
    void operator()() const noexcept { event.open(); }
  };

  EventCore event_;
  const bool is_watched_;
#if defined(JOBS_ANNOTATE_SYNC)
  // Runs after the callback. The standard library orders the last actions of the callback before a
  // destructor on another thread only; here the destructor may run in another fiber of the same
  // thread.
  struct End {
    ~End() {
      if (event.is_open() && this_thread().host != nullptr)
        sanitizer::annotate_acquire(this_thread().host);
    }
    const EventCore& event;
  };
  const End end_{event_};
#endif
  // Its destructor waits for a callback that is running. A callback never suspends.
  StopCallback<Open> callback_;
};

}  // namespace jobs::inline JOBS_ABI::detail
