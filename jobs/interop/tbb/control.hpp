// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// global_control of oneTBB: limits of the threads and stacks of algorithms. Any thread may set
// them.
//
// Differences from oneTBB:
// - A limit counts for threads outside of all arenas, and for an arena when it starts.
// - Stacks have 1 MiB, and not 4 MiB, unless the program sets a size. In the default arena,
//   jobs::set_default_options() counts as well.
#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/interop/tbb/arena_pool.hpp"
#include "jobs/interop/tbb/arena_scheduler.hpp"
#include "jobs/interop/tbb/never_destroyed.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/scheduler.hpp"

namespace jobs::inline JOBS_ABI::tbb {

namespace detail {

// The mutex publishes the controls; a thread sees its own hint.
JOBS_ORDER(kHint, relaxed);

// The controls of the process. Any thread may call any function.
class Limits {
 public:
  static constexpr std::size_t kNone = ~std::size_t{0};

  static Limits& of_process() { return never_destroyed<Limits>(); }

  JOBS_TAG_OF_MODE void add(bool is_stack, std::size_t value) {
    const std::lock_guard guard(mutex_);
    values(is_stack).push_back(value);
    is_limited_.store(true, kHint);
  }
  JOBS_TAG_OF_MODE void remove(bool is_stack, std::size_t value) {
    const std::lock_guard guard(mutex_);
    std::vector<std::size_t>& list = values(is_stack);
    list.erase(std::find(list.begin(), list.end(), value));
    is_limited_.store(!workers_.empty() || !stacks_.empty(), kHint);
  }

  // The smallest limit of workers, or kNone.
  JOBS_TAG_OF_MODE std::size_t workers() {
    const std::lock_guard guard(mutex_);
    return smallest_workers();
  }
  // The largest size of a stack, or that of an ArenaScheduler.
  JOBS_TAG_OF_MODE std::size_t stack() {
    const std::lock_guard guard(mutex_);
    return largest_stack();
  }
  // Returns a scheduler with these limits for an external thread. Null: the default scheduler meets
  // them. `caller_computes`: the thread takes part in its algorithms. As in oneTBB, it is one of
  // the threads of the limit.
  JOBS_TAG_OF_MODE ArenaLease scheduler(bool caller_computes) {
    if (!is_limited_.load(kHint)) return nullptr;
    const std::size_t all = worker_count();
    const std::lock_guard guard(mutex_);
    const std::size_t threads = smallest_workers();
    const bool is_extra = caller_computes && threads > 1 && threads <= all;
    const std::size_t workers = is_extra ? threads - 1 : std::min(all, threads);
    // On one CPU, the caller would compute beside the only worker of the default scheduler.
    const bool is_one_too_many = caller_computes && threads <= all;
    if (workers == all && stacks_.empty() && !is_one_too_many) return nullptr;
    return ArenaPool::of_process().lease(this, {.workers = workers,
                                                .stack = largest_stack(),
                                                .concurrency = static_cast<int>(all),
                                                .is_default = true,
                                                .extra_callers = is_extra});
  }

 private:
  std::vector<std::size_t>& values(bool is_stack) { return is_stack ? stacks_ : workers_; }
  std::size_t smallest_workers() const {
    const auto least = std::min_element(workers_.begin(), workers_.end());
    return least == workers_.end() ? kNone : *least;
  }
  std::size_t largest_stack() const {
    const auto most = std::max_element(stacks_.begin(), stacks_.end());
    return most == stacks_.end() ? ArenaScheduler::kStack : *most;
  }

  jobs::detail::Atomic<bool> is_limited_{false};
  std::mutex mutex_;
  std::vector<std::size_t> workers_;
  std::vector<std::size_t> stacks_;
};

}  // namespace detail

/// A limit for the algorithms that are called outside of all arenas, and for arenas that start
/// later, in effect during its lifetime.
///
/// `max_allowed_parallelism` of 2 up to the number of CPUs: these algorithms run on a scheduler
/// with one worker less, and on the calling thread. 1: on a scheduler with one worker. As in
/// oneTBB, max_concurrency() does not change. `thread_stack_size`: they run on a scheduler with
/// stacks of this size in bytes. Of several controls, the smallest parallelism and the largest
/// stack count. Controls may begin and end on any thread, in any order, and while algorithms run:
/// those continue unchanged. The first algorithm with other limits than the last one starts a
/// scheduler.
class global_control {
 public:
  /// The limits of oneTBB. `terminate_on_exception` has no effect.
  enum parameter {
    max_allowed_parallelism,
    thread_stack_size,
    terminate_on_exception,
    parameter_max
  };

  /// Sets a limit: a number of threads, at least 1, or a size from 16 KiB to 1 GiB.
  global_control(parameter which, std::size_t value) : which_(which), value_(value) {
    if (which == terminate_on_exception) return;
    if (which == max_allowed_parallelism) value_ = std::max<std::size_t>(value, 1);
    if (which == thread_stack_size)
      value_ = std::clamp(value, std::size_t{16} << 10, std::size_t{1} << 30);
    detail::Limits::of_process().add(which == thread_stack_size, value_);
  }
  ~global_control() {
    if (which_ == terminate_on_exception) return;
    detail::Limits::of_process().remove(which_ == thread_stack_size, value_);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;

  /// Returns the value in effect.
  static std::size_t active_value(parameter which) {
    if (which == thread_stack_size) return detail::Limits::of_process().stack();
    if (which == terminate_on_exception) return 0;
    const std::size_t limit = detail::Limits::of_process().workers();
    return limit != detail::Limits::kNone ? limit
                                          : static_cast<std::size_t>(detail::default_concurrency());
  }

 private:
  const parameter which_;
  std::size_t value_;
};

}  // namespace jobs::inline JOBS_ABI::tbb
