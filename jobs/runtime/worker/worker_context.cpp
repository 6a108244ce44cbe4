// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/runtime/worker/worker_context.hpp"

#include "jobs/runtime/job/trace_points.hpp"
#include "jobs/runtime/worker/shared.hpp"
#include "jobs/runtime/worker/worker.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

void run_nothing(Job&) {}

// Lies above each recorded fork in a deque. A thief, and the loop of a worker, may run it.
Job& fork_marker() noexcept {
  static Job marker(&run_nothing);
  return marker;
}

// A fork lies in the frame that calls push(); the parts of loops lie elsewhere. A wrong answer does
// no harm: the owner then runs the part of a loop as a job.
bool lies_in_frame_above(const Job& job, const void* frame) noexcept {
  constexpr std::uintptr_t kLargestFrame = 16 << 10;
  return reinterpret_cast<std::uintptr_t>(&job) - reinterpret_cast<std::uintptr_t>(frame) <
         kLargestFrame;
}

}  // namespace

JOBS_COLD WorkerContext::WorkerContext(Shared& shared, Idle& idle, Worker* worker, bool has_thieves,
                                       os::Node node, const ParticipantActions* actions)
    : ThreadContext(actions),
      blocks(node),
      deque_(
          // A participant may steal from a single worker, too.
          light_fence_is_free() ? OwnerBarrier::kWhenPublic : OwnerBarrier::kAlways, node),
      idle_(idle),
      shared_(shared),
      worker_(worker),
      critical_(shared.shared_jobs().critical()),
      has_thieves_(has_thieves) {}

JOBS_COLD WorkerContext::~WorkerContext() = default;

JOBS_COLD void WorkerContext::serve(const void* wait) noexcept {
  if (worker_ != nullptr) worker_->serve(wait);
}

JOBS_COLD void WorkerContext::release_memory() noexcept {
  release_at_ = os::kNever;
  blocks.release();
  deque_.shrink();
}

// Steps:
//   1. Set aside all free blocks, and watch whether the deque needs more than its first ring.
//   2. A second later, file the blocks that are still set aside, a few at a time.
//   3. Release slabs whose blocks are all filed, a few at a time. Shrink the deque if it has not
//      needed more.
//   4. Begin again if there are blocks that were not set aside in step 1. So a worker without
//      activity ends after at most three rounds.
//   5. If the surplus is in use, look again a while later: other threads may have freed it.
JOBS_COLD os::Nanoseconds WorkerContext::release_unused(os::Nanoseconds now) noexcept {
  if (release_at_ != os::kNever) {
    if (now < release_at_) return release_at_;
    if (blocks.release_unused(kKeptMemory)) return now;
    deque_.shrink_if_unused();
    release_at_ = os::kNever;
    if (!has_surplus()) return os::kNever;
  }
  if (!blocks.has_unfiled() && !deque_.is_grown()) return now + kLongestSleep;
  blocks.set_aside();
  deque_.watch();
  release_at_ = now + kUnusedAge;
  return release_at_;
}

JOBS_COLD void WorkerContext::yield_to_critical() noexcept {
  if (worker_ != nullptr) worker_->yield_to_critical();
}
JOBS_COLD void WorkerContext::yield_to_high() noexcept {
  if (worker_ != nullptr) worker_->yield_to_high();
}

JOBS_COLD Job* WorkerContext::pop_oldest() noexcept {
  [[maybe_unused]] const sanitizer::IgnoreSync queue;
  return deque_.pop_oldest();
}

// Returns whether the job is a fork that is recorded. Forks and parts of loops do not count as
// spawned. Parts of loops have no event.
JOBS_COLD bool WorkerContext::trace_push(const Job& job) noexcept {
  is_traced_ = is_traced_in_detail();
  const bool is_spawned = spawned.read() != traced_spawns_;
  traced_spawns_ = spawned.read();
  if (!is_traced_) return false;
  const bool is_fork = !is_spawned && lies_in_frame_above(job, __builtin_frame_address(0)) &&
                       trace_observer()->has_forks();
  if (!is_spawned && !is_fork) return false;
  trace(trace_observer(), is_fork ? TraceEvent::kFork : TraceEvent::kSpawn,
        reinterpret_cast<std::uintptr_t>(&job), reinterpret_cast<std::uintptr_t>(job.entry()));
  return is_fork;
}

// Without room, there is no marker, and the parent runs its fork without an event.
JOBS_COLD void WorkerContext::after_traced_push(bool is_fork) noexcept {
  if (is_fork) static_cast<void>(deque_.try_push(&fork_marker()));
  deque_.refuse_next_push();
}

JOBS_COLD bool WorkerContext::run_marked(Job& job) noexcept {
  if (!is_traced_) return false;
  deque_.pop_if(&fork_marker());
  const bool is_taken = take_if_youngest(job);
  deque_.refuse_next_push();
  if (!is_taken) return false;
  sanitizer::annotate_acquire(&job);
  TraceObserver* const observer = trace_observer();
  trace(observer, TraceEvent::kForkBegin, reinterpret_cast<std::uintptr_t>(&job),
        reinterpret_cast<std::uintptr_t>(job.entry()));
  job.run();
  stolen_forks.subtract(1);  // The job has counted itself.
  trace(observer, TraceEvent::kForkEnd);
  deque_.refuse_next_push();
  return true;
}

Job::Run WorkerContext::marker_function() noexcept { return &run_nothing; }

JOBS_COLD void WorkerContext::trace_chunk(const void* loop, std::uint64_t first,
                                          bool begins) const noexcept {
  trace(trace_observer(), begins ? TraceEvent::kChunkBegin : TraceEvent::kChunkEnd,
        reinterpret_cast<std::uintptr_t>(loop), first);
}

void WorkerContext::publish() noexcept {
  deque_.publish();
  shared_.move_new_threads();
  idle_.published([this] { record_cpu(); });
}

void WorkerContext::publish_detached() noexcept {
  publish();
  if (const auto run = shared_.run_pushed()) run(*worker_);
}

}  // namespace jobs::inline JOBS_ABI::detail
