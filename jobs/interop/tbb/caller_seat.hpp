// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// CallerSeat: the slot of an arena that is reserved for a calling thread. A thread outside of all
// arenas that has the seat calls the function of execute() itself, beside one worker less. This is
// oneTBB's rule, so two arenas for four threads each do not use eight workers.
//
// An arena has one seat. If it is taken, the function of a second thread runs on a worker.
//
// Threads: any thread may ask for a seat. The thread that has it is the only user of the object.
#pragma once

#include <optional>
#include <utility>

#include "jobs/interop/tbb/arena_scheduler.hpp"
#include "jobs/interop/tbb/context.hpp"
#include "jobs/scheduler_scope.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

class CallerSeat {
 public:
  // Takes the seat, unless another thread has it. The arena must have extra callers.
  explicit CallerSeat(ArenaScheduler& arena) : arena_(arena) {
    scope_.emplace(arena.scheduler());
    if (arena_.take_seat()) {
      outer_ = std::exchange(seat_of_thread(), &arena_);
    } else {
      scope_.reset();
    }
  }
  ~CallerSeat() {
    if (!scope_) return;
    leave_arena(arena_.shared());
    seat_of_thread() = outer_;
    arena_.leave_seat();
  }
  CallerSeat(const CallerSeat&) = delete;
  CallerSeat& operator=(const CallerSeat&) = delete;

  bool is_taken() const noexcept { return scope_.has_value(); }

 private:
  ArenaScheduler& arena_;
  std::optional<SchedulerScope> scope_;
  ArenaScheduler* outer_ = nullptr;
};

}  // namespace jobs::inline JOBS_ABI::tbb::detail
