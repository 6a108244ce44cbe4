// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// with_lane(): gives a structured algorithm (fork_join, the loops) the lane to push its children to: the worker's own, or, on an
// unbound thread, one that it gets as a guest of the default scheduler until the algorithm returns.
//
// A guest runs its own chunks and children in place, workers steal from its lane, and it never runs foreign jobs.
#pragma once

#include <type_traits>
#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Owns a guest's lane; empty if there are too many guests.
class JOBS_EXPORT GuestScope {
 public:
  GuestScope();
  ~GuestScope();
  GuestScope(const GuestScope&) = delete;
  GuestScope& operator=(const GuestScope&) = delete;

  Lane* lane() const noexcept { return lane_; }

 private:
  Lane* lane_;
};

JOBS_OF_MODE_BEGIN

// Out of line: workers, for whom the call is worth nothing, keep a small fast path.
template <class F>
JOBS_COLD std::invoke_result_t<F&, Lane&> as_guest(F& algorithm) {
  {
    const GuestScope guest;
    if (guest.lane() != nullptr) return algorithm(*guest.lane());
  }
  return run_and_wait(default_shared(), [&] { return algorithm(*this_context()); });
}

// Calls algorithm(Lane&) and returns its result. Throws Error(kStopped).
template <class F>
JOBS_ALWAYS_INLINE std::invoke_result_t<F&, Lane&> with_lane(F&& algorithm) {
  if (Lane* const lane = this_context()) [[likely]]
    return algorithm(*lane);
  return as_guest(algorithm);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
