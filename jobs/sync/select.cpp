// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// select() of a fiber or an external thread. core/selection.hpp has its steps.
#include "jobs/sync/select.hpp"

#include "jobs/sync/core/interrupt.hpp"
#include "jobs/sync/core/park.hpp"
#include "jobs/sync/core/selection.hpp"
#include "jobs/sync/core/stop_event.hpp"
#include "jobs/sync/core/thread_host.hpp"

namespace jobs::inline JOBS_ABI::detail {

Alternative* select_before(std::span<Alternative* const> alternatives, os::Nanoseconds deadline,
                           const std::stop_token& stop) {
  if (Alternative* const done = try_alternatives(alternatives)) return done;
  if (deadline == kPoll) return nullptr;
  StopEvent stop_event(stop);
  WaitingThread thread;
  FiberHost& host = thread.host();
  host.prepare_wait();

  Selection selection;
  const SelectionLinks links = link_alternatives(alternatives, selection, host.current());
  if (links.done != nullptr) return links.done;
  WaitStatus status = WaitStatus::kOk;
  if (links.undecided == nullptr) {
    const WaitLimit limit{.deadline = deadline, .stop = stop_event.get()};
    status = park(host, selection, selection.none, limit, {WaitKind::kSelect, nullptr});
  } else if (selection.winner.load(selection_order::kClaim) != links.undecided) {
    host.suspend(kToken);  // another alternative was granted meanwhile
  }
  Alternative* const done = settle_alternatives(alternatives, selection, links);
  throw_if_interrupted(host, status);
  return done;
}

}  // namespace jobs::inline JOBS_ABI::detail
