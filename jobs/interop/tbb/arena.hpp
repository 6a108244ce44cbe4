// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Where algorithms run: global_control, task_arena, this_task_arena, info::default_concurrency.
//
// An arena with a number of its own is a jobs::Scheduler of that many workers, an arena without one is the default scheduler.
// Differs from oneTBB: workers are not shared between arenas; execute() runs its function on a worker of such an arena, not on the
// caller; priorities and reserved slots make no difference; NUMA and core constraints are not there.
//
// Threads: a thread outside of all arenas takes part in the algorithms that it calls, as one more than the workers. So
// max_concurrency() and default_concurrency() are worker_count() + 1 there, and arrays of that size suffice for
// current_thread_index(), which is below it within one algorithm.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/per_worker.hpp"
#include "jobs/runtime/submit.hpp"
#include "jobs/scheduler.hpp"
#include "jobs/spawn.hpp"

namespace jobs::inline JOBS_ABI::tbb {

class task_arena;

namespace detail {

JOBS_ORDER(kPublish, release);  // of a started scheduler; partner: kFind
JOBS_ORDER(kFind, acquire);     // partner: kPublish

inline bool is_outside() noexcept { return jobs::detail::this_thread().lane == nullptr; }

}  // namespace detail

// max_allowed_parallelism below the number of workers: while it lives, algorithms that are called outside of all arenas run on a
// scheduler of so many workers, not on the caller. thread_stack_size: likewise, on a scheduler whose jobs have stacks of so many
// bytes. Controls end in the opposite order of their beginning, and not while another thread is in an algorithm.
class global_control {
 public:
  enum parameter { max_allowed_parallelism, thread_stack_size, terminate_on_exception, parameter_max };

  global_control(parameter which, std::size_t value) {
    const std::size_t workers =
        which == max_allowed_parallelism ? std::min<std::size_t>(value, workers_now()) : workers_now();
    const std::size_t stack = which == thread_stack_size ? value : stack_now();
    if (workers == workers_now() && stack == stack_now()) return;
    own_.emplace(workers, stack, active().load(detail::kFind));
    active().store(&*own_, detail::kPublish);
  }
  ~global_control() {
    if (own_) active().store(own_->outer, detail::kPublish);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;

  static std::size_t active_value(parameter which) {
    if (which == thread_stack_size) return stack_now();
    if (which == terminate_on_exception) return 0;
    return active().load(detail::kFind) ? workers_now() : workers_now() + 1;
  }

  // The scheduler for threads outside of all arenas; null: the default one.
  static Scheduler* scheduler() noexcept {
    Limited* const limited = active().load(detail::kFind);
    return limited ? &limited->scheduler : nullptr;
  }

 private:
  struct Limited {
    Limited(std::size_t workers, std::size_t stack_size, Limited* next)
        : stack(stack_size),
          outer(next),
          scheduler({.worker_count = static_cast<unsigned>(workers), .stack_size = stack_size}) {}
    std::size_t stack;
    Limited* outer;
    Scheduler scheduler;
  };

  static jobs::detail::Atomic<Limited*>& active() noexcept {
    static jobs::detail::Atomic<Limited*> limited{nullptr};
    return limited;
  }
  static std::size_t workers_now() {
    Limited* const limited = active().load(detail::kFind);
    return limited ? limited->scheduler.worker_count() : worker_count();
  }
  static std::size_t stack_now() {
    Limited* const limited = active().load(detail::kFind);
    return limited ? limited->stack : SchedulerOptions().stack_size;
  }

  std::optional<Limited> own_;
};

namespace detail {

// Workers of the default scheduler, or of what global_control has put in its place, and one guest.
inline int default_concurrency() {
  const auto workers = [] { return static_cast<int>(worker_count()); };
  if (!is_outside()) return jobs::detail::run_and_wait(jobs::detail::default_core(), workers) + 1;
  const Scheduler* const limited = global_control::scheduler();
  return limited ? static_cast<int>(limited->worker_count()) : workers() + 1;
}

// f() where an algorithm that is called here is to run.
template <class F>
std::invoke_result_t<F&> in_arena(F&& f) {
  if (is_outside()) {
    if (Scheduler* const limited = global_control::scheduler()) return limited->run(f);
  }
  return f();
}

}  // namespace detail

class attach {};

// Differs from oneTBB's as said above. The destructor waits for what was enqueued; a job of its own must not destroy it.
class task_arena {
 public:
  static constexpr int automatic = -1;
  static constexpr int not_initialized = -2;
  enum class priority { low, normal, high };
  using attach = tbb::attach;

  explicit task_arena(int max_concurrency = automatic, unsigned = 1, priority = priority::normal)
      : max_concurrency_(max_concurrency) {}
  explicit task_arena(attach) : task_arena() {}
  task_arena(const task_arena& other) : task_arena(other.max_concurrency_) {}

  // The others do it if need be. Any thread, at the same time too. A number counts only before the first time.
  void initialize() {
    const std::lock_guard guard(mutex_);
    start();
  }
  void initialize(int max_concurrency, unsigned = 1, priority = priority::normal) {
    const std::lock_guard guard(mutex_);
    if (!is_active_) max_concurrency_ = max_concurrency;
    start();
  }
  // Waits for what was enqueued. Not while another thread uses the arena.
  void terminate() {
    const std::lock_guard guard(mutex_);
    scheduler_.reset();
    is_active_ = false;
  }
  bool is_active() const {
    const std::lock_guard guard(mutex_);
    return is_active_;
  }
  int max_concurrency() const {
    return max_concurrency_ == automatic ? detail::default_concurrency() : max_concurrency_;
  }

  // f(), its result, its exception. Returns when f has, as oneTBB's.
  template <class F>
  auto execute(F&& f) -> decltype(f()) {
    initialize();
    if (scheduler_) return scheduler_->run(f);
    if (detail::is_outside()) return detail::in_arena(f);
    return jobs::detail::run_and_wait(jobs::detail::default_core(), f);
  }
  // f() at some time, on a worker. An exception of it ends the program.
  template <class F>
  void enqueue(F&& f) {
    execute([&] { spawn(std::decay_t<F>(std::forward<F>(f))); });
  }

 private:
  void start() {
    if (is_active_) return;
    if (max_concurrency_ != automatic) {
      scheduler_.emplace(SchedulerOptions{.worker_count = static_cast<unsigned>(max_concurrency_)});
    }
    is_active_ = true;
  }

  int max_concurrency_;
  mutable std::mutex mutex_;
  bool is_active_ = false;
  std::optional<Scheduler> scheduler_;
};

namespace this_task_arena {

inline int max_concurrency() {
  const jobs::detail::WorkerNumbers numbers;
  if (detail::is_outside()) return detail::default_concurrency();
  const bool is_guest = numbers.of_caller() == jobs::detail::WorkerNumbers::kNone;
  const bool may_have_guest = is_guest || jobs::detail::runs_on(jobs::detail::default_core());
  return static_cast<int>(numbers.count()) + (may_have_guest ? 1 : 0);
}
// The worker's; worker_count() on any other thread.
inline int current_thread_index() {
  const jobs::detail::WorkerNumbers numbers;
  const std::size_t index = numbers.of_caller();
  return static_cast<int>(index == jobs::detail::WorkerNumbers::kNone ? numbers.count() : index);
}
// f(). A waiting job never runs another one on top of itself here, so there is nothing to isolate.
template <class F>
auto isolate(F&& f) -> decltype(f()) {
  return f();
}
template <class F>
void enqueue(F&& f) {
  spawn(std::forward<F>(f));
}

}  // namespace this_task_arena

namespace info {

inline int default_concurrency() { return detail::default_concurrency(); }

}  // namespace info
}  // namespace jobs::inline JOBS_ABI::tbb
