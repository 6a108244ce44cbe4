// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/trace/traced_pushes.hpp"

#include <cstddef>
#include <cstdint>

#include "jobs/base/annotate.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI {

namespace {

void run_nothing(detail::Job&) {}

detail::Job& fork_marker() noexcept {
  static detail::Job marker(&run_nothing);
  return marker;
}

// A fork lies in the frame that calls push(); the parts of loops lie elsewhere. A wrong answer does
// no harm: the owner then runs the part of a loop as a job.
bool lies_in_frame_above(const detail::Job& job, const void* frame) noexcept {
  constexpr std::size_t kLargestFrame = 16 << 10;
  return reinterpret_cast<std::uintptr_t>(&job) - reinterpret_cast<std::uintptr_t>(frame) <
         kLargestFrame;
}

}  // namespace

namespace trace::detail {

void watch_pushes() noexcept {
  if (auto* const context = jobs::detail::this_context()) context->set_traced(true);
}

jobs::detail::Job::Run fork_marker_function() noexcept { return &run_nothing; }

}  // namespace trace::detail

namespace detail {

namespace {

void trace_job(TraceEvent event, const Job& job) noexcept {
  trace(trace_observer(), event, reinterpret_cast<std::uintptr_t>(&job),
        reinterpret_cast<std::uintptr_t>(job.entry()));
}

}  // namespace

void trace_spawn(WorkerContext& context, const Job& job) noexcept {
  context.is_traced_ = is_traced_in_detail();
  if (context.is_traced_) trace_job(TraceEvent::kSpawn, job);
}

void trace_submission(const Job& job) noexcept {
  if (is_traced_in_detail()) trace_job(TraceEvent::kSpawn, job);
}

bool trace_fork(WorkerContext& context, const Job& job) noexcept {
  context.is_traced_ = is_traced_in_detail();
  if (!context.is_traced_ || !trace_observer()->has_forks()) return false;
  if (!lies_in_frame_above(job, __builtin_frame_address(0))) return false;
  trace_job(TraceEvent::kFork, job);
  return true;
}

// Without room, there is no marker, and the parent runs its fork without an event.
void after_traced_push(WorkerContext& context, bool is_fork) noexcept {
  if (is_fork) static_cast<void>(context.deque_.try_push(&fork_marker()));
  context.deque_.refuse_next_push();
}

bool run_traced_fork(WorkerContext& context, Job& job) noexcept {
  context.deque_.pop_if(&fork_marker());
  const bool is_taken = context.take_if_youngest(job);
  context.deque_.refuse_next_push();
  if (!is_taken) return false;
  sanitizer::annotate_acquire(&job);
  trace_job(TraceEvent::kForkBegin, job);
  job.run();
  context.stolen_forks.subtract(1);  // The job has counted itself.
  trace(trace_observer(), TraceEvent::kForkEnd);
  context.deque_.refuse_next_push();
  return true;
}

void trace_chunk(const void* loop, std::uint64_t first, bool begins) noexcept {
  trace(trace_observer(), begins ? TraceEvent::kChunkBegin : TraceEvent::kChunkEnd,
        reinterpret_cast<std::uintptr_t>(loop), first);
}

void trace_loop(const void* loop, bool begins) noexcept {
  trace(trace_observer(), begins ? TraceEvent::kLoopBegin : TraceEvent::kLoopEnd,
        reinterpret_cast<std::uintptr_t>(loop));
}

}  // namespace detail

}  // namespace jobs::inline JOBS_ABI
