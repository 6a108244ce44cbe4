// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Public: where a job may run. Include jobs/spawn.hpp or jobs/task_graph.hpp to use it.
//
//   jobs::spawn(done, upload, {.on = jobs::main_thread});
//   graph.node(bake).on(jobs::worker(3));
//
// It is the job that is placed: what it spawns or forks has a place of its own, anywhere unless said.
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

struct Place {
  enum class Kind : std::uint8_t { kAnywhere, kWorker, kMainThread, kNotMainThread };

  Kind kind = Kind::kAnywhere;
  unsigned index = 0;  // of the worker

  friend constexpr bool operator==(const Place&, const Place&) = default;
};

// On whatever worker takes it first.
inline constexpr Place anywhere;
// On the thread that is bound (SchedulerOptions::bind_caller), for window systems and graphics interfaces that want that one. It
// runs them while it waits for anything of ours, and in Scheduler::run_main_thread_jobs(); not while it computes or blocks.
// Without a bound thread the call throws Error(kBadArgument).
inline constexpr Place main_thread{Place::Kind::kMainThread};
// On whatever worker takes it first, but not on the bound thread, which a long job would keep from its own work. If there is no
// bound thread, or no other one: anywhere.
inline constexpr Place not_main_thread{Place::Kind::kNotMainThread};
// On that worker, counted from 0 as worker_index() does. The call throws Error(kBadArgument) if there are not that many.
[[nodiscard]] constexpr Place worker(unsigned index) noexcept { return {Place::Kind::kWorker, index}; }

}  // namespace jobs::inline JOBS_ABI
