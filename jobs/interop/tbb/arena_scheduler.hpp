// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// ArenaScheduler: the workers of an arena, or of the algorithms under a limit of global_control. It
// remembers the concurrency that the program sees, which may exceed the number of workers: as in
// oneTBB, an arena for 4 threads remains one for 4 threads under a limit of 1.
//
// Threads: concurrency_of() may be called on any worker. The owner makes and destroys the object.
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/interop/tbb/never_destroyed.hpp"
#include "jobs/runtime/scheduler/at_rest.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI::tbb::detail {

// The mutex publishes the entries. A job that reads them begins after its scheduler was entered.
JOBS_ORDER(kCountEntries, relaxed);
// The seat limits the number of threads, and publishes nothing.
JOBS_ORDER(kSeat, relaxed);

class ArenaScheduler {
 public:
  // Bytes of stack for the bodies of programs that set none: they expect threads of oneTBB, whose
  // stacks are large.
  static constexpr std::size_t kStack = std::size_t{1} << 20;

  // `is_default`: it replaces the default scheduler under a limit.
  JOBS_TAG_OF_MODE ArenaScheduler(SchedulerOptions options, int concurrency, bool is_default)
      : has_extra_callers_(options.extra_callers),
        scheduler_(std::move(options)),
        shared_(scheduler_.run([] { return &jobs::detail::this_context()->shared(); })) {
    if (scheduler_.worker_count() == static_cast<unsigned>(concurrency) && !is_default) return;
    Entries& entries = Entries::of_process();
    const std::lock_guard guard(entries.mutex);
    entries.list.push_back({shared_, concurrency, is_default});
    entries.count.store(entries.list.size(), kCountEntries);
  }
  // Waits for the jobs of the scheduler.
  JOBS_TAG_OF_MODE ~ArenaScheduler() {
    if (!is_inherited()) scheduler_.shutdown();
    Entries& entries = Entries::of_process();
    const std::lock_guard guard(entries.mutex);
    std::erase_if(entries.list, [this](const Entry& entry) { return entry.shared == shared_; });
    entries.count.store(entries.list.size(), kCountEntries);
  }
  ArenaScheduler(const ArenaScheduler&) = delete;
  ArenaScheduler& operator=(const ArenaScheduler&) = delete;

  Scheduler& scheduler() noexcept { return scheduler_; }
  jobs::detail::Shared& shared() noexcept { return *shared_; }
  // Returns whether the process is a child that has only a copy of the scheduler.
  bool is_inherited() const noexcept { return jobs::detail::is_inherited(*shared_); }
  // Returns whether a thread outside computes beside the workers (SchedulerOptions::extra_callers).
  bool has_extra_callers() const noexcept { return has_extra_callers_; }
  // Takes the slot that is reserved for a calling thread (caller_seat.hpp). Returns false if
  // another thread has it.
  bool take_seat() noexcept { return !is_seat_taken_.exchange(true, kSeat); }
  void leave_seat() noexcept { is_seat_taken_.store(false, kSeat); }
  // Returns whether all jobs have ended. Exact if no other thread submits jobs meanwhile.
  bool is_at_rest() const noexcept { return jobs::detail::is_at_rest(*shared_); }

  // Returns the concurrency of the arena of a worker, or 0 if it equals the number of workers.
  static int concurrency_of(const jobs::detail::Shared& shared) {
    return entry_of(shared).concurrency;
  }
  // Returns whether the scheduler replaces the default scheduler.
  static bool is_default(const jobs::detail::Shared& shared) { return entry_of(shared).is_default; }

 private:
  struct Entry {
    const jobs::detail::Shared* shared = nullptr;
    int concurrency = 0;
    bool is_default = false;
  };
  struct Entries {
    static Entries& of_process() { return never_destroyed<Entries>(); }

    std::mutex mutex;
    std::vector<Entry> list;
    jobs::detail::Atomic<std::size_t> count{0};
  };

  static Entry entry_of(const jobs::detail::Shared& shared) {
    Entries& entries = Entries::of_process();
    if (entries.count.load(kCountEntries) == 0) return {};
    const std::lock_guard guard(entries.mutex);
    for (const Entry& entry : entries.list)
      if (entry.shared == &shared) return entry;
    return {};
  }

  const bool has_extra_callers_;
  jobs::detail::Atomic<bool> is_seat_taken_{false};
  Scheduler scheduler_;
  jobs::detail::Shared* const shared_;
};

// Gives such stacks to the default scheduler, too, before main() or when a library of the program
// is loaded.
inline const bool kRaisesDefaultStack =
    (jobs::detail::raise_default_stack(ArenaScheduler::kStack), true);

}  // namespace jobs::inline JOBS_ABI::tbb::detail
