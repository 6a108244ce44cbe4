// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// SpawnedJob: a job that owns its closure and frees itself. A job of up to 1 KiB from a worker
// lives in a block of the worker context; every other job lives on the heap. The whole fast path of
// spawn() is in this file, to be inlined: a block, the closure, a push.
//
// Any thread creates a job; the worker that runs it destroys it.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <new>
#include <type_traits>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/parking/affine_jobs.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/counted_job.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"
#include "jobs/spawn_options.hpp"
#include "jobs/sync/counter.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Passes the exception of a detached job to the scheduler of the calling worker.
JOBS_EXPORT void report_unhandled(std::exception_ptr exception) noexcept;

// Submits a job to the scheduler of the calling external thread. If the thread later waits for the
// counter of the job, it runs the job itself, unless a worker has taken it. In
// SchedulerMode::kThreads, also workers call it, and a thread of the scheduler runs the job. Throws
// Error(kStopped), std::bad_alloc.
JOBS_EXPORT void submit_outside(CountedJob& job);

// Submits a job at the place and with the priority of the options. `message`: a part of the job. A
// wait for the counter of the job may lift it. Throws Error(kStopped), Error(kBadArgument).
JOBS_EXPORT void submit_spawned(Shared& shared, CountedJob& job, JobMessage& message,
                                const SpawnOptions& options);

// Returns the context of the calling worker. Returns null on other threads, including external
// participants: their jobs go to the workers. Returns null also in SchedulerMode::kThreads.
inline WorkerContext* worker_context() noexcept {
  WorkerContext* const context = this_context();
  return context != nullptr && context->takes_spawned() ? context : nullptr;
}

// Returns the context of the calling worker if it is a worker of that scheduler, otherwise null.
inline WorkerContext* worker_context_of(const Shared& shared) noexcept {
  WorkerContext* const context = worker_context();
  return context != nullptr && &context->shared() == &shared ? context : nullptr;
}

JOBS_OF_MODE_BEGIN

template <class F>
class SpawnedJob final : public CountedJob, public HeapObject<SpawnedJob<F>> {
 public:
  // `context`: the context of the calling worker, or null.
  template <class G>
  static SpawnedJob* make(WorkerContext* context, Counter* counter, G&& function) {
    if constexpr (fits_block()) {
      if (context != nullptr) [[likely]] {
        BlockPool& blocks = context->blocks.of(sizeof(SpawnedJob));
        void* const memory = blocks.allocate();
        if constexpr (std::is_nothrow_constructible_v<F, G>) {
          return ::new (memory) SpawnedJob(context, counter, std::forward<G>(function));
        } else {
          JOBS_TRY {
            return ::new (memory) SpawnedJob(context, counter, std::forward<G>(function));
          }
          JOBS_CATCH_ALL {
            blocks.deallocate_local(memory);
            JOBS_RETHROW;
          }
        }
      }
    } else if (context != nullptr) {
      context->heap_blocks.add(1);
    }
    return new SpawnedJob(nullptr, counter, std::forward<G>(function));
  }

  F& function() noexcept { return function_; }

  // Called by any worker, or by the thread that created the job.
  void destroy() noexcept {
    if constexpr (fits_block()) {
      if (WorkerContext* const home = home_; home != nullptr) [[likely]] {
        this->~SpawnedJob();
        home->free_block(this, sizeof(SpawnedJob));
        return;
      }
    }
    delete this;
  }

 private:
  static constexpr bool fits_block() {
    return sizeof(SpawnedJob) <= BlockPools::kLargest &&
           alignof(SpawnedJob) <= BlockPools::kAlignment;
  }

  template <class G>
  SpawnedJob(WorkerContext* home, Counter* counter, G&& function)
      : CountedJob(&execute, counter), home_(home), function_(std::forward<G>(function)) {}
  ~SpawnedJob() = default;

  static void execute(Job& job) {
    auto& self = static_cast<SpawnedJob&>(job);
    run_guarded([&self] { std::invoke(self.function_); },
                [&self](std::exception_ptr exception) {
                  if (self.counter() != nullptr) {
                    self.counter()->fail(std::move(exception));
                  } else {
                    report_unhandled(std::move(exception));
                  }
                });
    Counter* const counter = self.counter();
    self.destroy();
    if (counter != nullptr) counter->done();
    this_context()->finished.add(1);
  }

  WorkerContext* const home_;
  F function_;
};

template <class F>
void spawn_detached(Counter* counter, F&& function) {
  WorkerContext* const context = worker_context();
  auto* const job = SpawnedJob<std::decay_t<F>>::make(context, counter, std::forward<F>(function));
  if (counter != nullptr) counter->add();
  JOBS_TRY {
    if (context != nullptr) [[likely]] {
      context->push_detached(*job);
    } else {
      submit_outside(*job);
    }
  }
  JOBS_CATCH_ALL {
    job->destroy();
    if (counter != nullptr) counter->done();
    JOBS_RETHROW;
  }
}

// Spawns into `shared`. A block of a worker may outlive neither that worker nor its scheduler, so a
// worker of another scheduler takes the job from the heap.
template <class F>
void spawn_into(Shared& shared, Counter* counter, F&& function) {
  WorkerContext* const context = worker_context_of(shared);
  auto* const job = SpawnedJob<std::decay_t<F>>::make(context, counter, std::forward<F>(function));
  if (counter != nullptr) counter->add();
  JOBS_TRY { submit(shared, *job); }
  JOBS_CATCH_ALL {
    job->destroy();
    if (counter != nullptr) counter->done();
    JOBS_RETHROW;
  }
}

// A closure, and the message that carries it to its worker.
template <class F>
struct FunctionWithMessage {
  template <class G>
    requires std::constructible_from<F, G>
  explicit FunctionWithMessage(G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : function(std::forward<G>(f)) {}
  void operator()() { std::invoke(function); }

  JobMessage message;
  F function;
};

// As spawn_into(), with options. `context`: the context of the calling worker, if it is a worker of
// that scheduler; otherwise null. `find_shared()` returns the scheduler: a reference would occupy a
// register while the job is made.
template <class FindShared, class F>
void spawn_with_message(FindShared find_shared, WorkerContext* context, Counter* counter,
                        F&& function, const SpawnOptions& options) {
  using WithMessage = FunctionWithMessage<std::decay_t<F>>;
  auto* const job = SpawnedJob<WithMessage>::make(context, counter, std::forward<F>(function));
  if (counter != nullptr) counter->add();
  JOBS_TRY { submit_spawned(find_shared(), *job, job->function().message, options); }
  JOBS_CATCH_ALL {
    job->destroy();
    if (counter != nullptr) counter->done();
    JOBS_RETHROW;
  }
}

template <class F>
void spawn_with_options(Counter* counter, F&& function, const SpawnOptions& options) {
  if (options == SpawnOptions{}) return spawn_detached(counter, std::forward<F>(function));
  spawn_with_message([]() -> Shared& { return current_shared(); }, worker_context(), counter,
                     std::forward<F>(function), options);
}

template <class F>
void spawn_into(Shared& shared, Counter* counter, F&& function, const SpawnOptions& options) {
  if (options == SpawnOptions{}) return spawn_into(shared, counter, std::forward<F>(function));
  spawn_with_message([&shared]() -> Shared& { return shared; }, worker_context_of(shared), counter,
                     std::forward<F>(function), options);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
