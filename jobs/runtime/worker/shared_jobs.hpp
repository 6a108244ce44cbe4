// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SharedJobs: the jobs of a scheduler that are in no worker's deque: for any worker or for all but the bound thread, urgent or not,
// each kind first come, first served. Any thread.
//
// All kinds but the usual one, not urgent and for any worker, are special: there is a count of them, so that nobody need look at
// their queues as long as there are none.
#pragma once

#include <cstdint>

#include "jobs/queue/injector.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail {

class SharedJobs {
 public:
  void push(Job& job) noexcept { for_all_.normal.push(job); }
  void push_special(Job& job, bool off_main, bool urgent) noexcept;

  // Null: there is none. `off_main`: the caller may run what is not for the bound thread.
  Job* take(bool off_main) noexcept {
    if (!off_main || off_main_.normal.looks_empty()) [[likely]]
      return for_all_.normal.pop();
    return take_in_turn();
  }
  Job* take_urgent(bool off_main) noexcept;

  // Hints, but to who has fenced.
  bool has_special() const noexcept { return special_.load(std::memory_order_relaxed) != 0; }
  bool has_usual() const noexcept { return !for_all_.normal.looks_empty(); }
  bool has_for_all() const noexcept { return !for_all_.looks_empty(); }
  bool has_off_main() const noexcept { return !off_main_.looks_empty(); }

 private:
  struct Queues {
    bool looks_empty() const noexcept { return urgent.looks_empty() && normal.looks_empty(); }
    Injector<Job> urgent;
    Injector<Job> normal;
  };

  Job* take_in_turn() noexcept;
  Job* take_special(Injector<Job>& queue) noexcept;

  Queues for_all_;
  Queues off_main_;                     // for all but the bound thread
  Atomic<bool> off_main_first_{false};  // whose turn it is of the two: a hint
  // Special jobs, or a few more. Relaxed: the locks of the queues order it.
  alignas(kDestructiveDistance) Atomic<std::uint32_t> special_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
