// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// with_context(): calls a structured algorithm (fork_join, the loops) with the worker context that
// takes the algorithm's children. A worker passes its own context. An external thread becomes a
// participant of its current scheduler until the algorithm returns, and passes the participant's
// context.
//
// Threads: any thread. The calling thread is the only owner of the context during the call.
//
// An external participant runs its own chunks and children in place. Workers steal from its
// context. It runs no jobs of other threads but parts of its own call.
#pragma once

#include <type_traits>
#include <utility>

#include "jobs/fiber/current.hpp"
#include "jobs/runtime/scheduler/default_scheduler.hpp"
#include "jobs/runtime/worker/submit.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Makes the calling external thread a participant for the duration of a scope. Inside of a call of
// its own, the thread is one already, and remains one. Empty on a worker, and if all participant
// slots are in use.
class JOBS_EXPORT ExternalParticipant {
 public:
  ExternalParticipant();
  ~ExternalParticipant();
  ExternalParticipant(const ExternalParticipant&) = delete;
  ExternalParticipant& operator=(const ExternalParticipant&) = delete;

  // Returns null if the object is empty.
  WorkerContext* context() const noexcept { return context_; }

 private:
  const bool is_inner_;
  WorkerContext* const context_;
};

JOBS_OF_MODE_BEGIN

// Calls the algorithm as an external participant. Without a free slot, the algorithm runs as a job
// of the scheduler. Out of line, so that the fast path of workers stays small. Not JOBS_COLD: the
// compiler would optimise the code of the caller for size, which it inlines here.
template <class F>
JOBS_NOINLINE std::invoke_result_t<F&, WorkerContext&> as_participant(F& algorithm) {
  {
    const ExternalParticipant participant;
    if (participant.context() != nullptr) return algorithm(*participant.context());
  }
  return run_and_wait(default_shared(), [&] { return algorithm(*this_context()); });
}

// Calls algorithm(WorkerContext&) and returns its result. Any thread. Throws Error(kStopped).
template <class F>
JOBS_ALWAYS_INLINE std::invoke_result_t<F&, WorkerContext&> with_context(F&& algorithm) {
  if (WorkerContext* const context = this_context()) [[likely]]
    return algorithm(*context);
  return as_participant(algorithm);
}

JOBS_OF_MODE_END

}  // namespace jobs::inline JOBS_ABI::detail
