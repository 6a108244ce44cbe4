// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// WorkerContext: the context of a thread that forks and spawns jobs: its deque, its memory for jobs
// and its counters. Each worker owns one. An external participant (an external thread inside a loop
// of its own) owns one while it takes part.
//
// The owner may call all functions. Thieves may call steal(), force_publish() and looks_empty().
// Any thread may call the functions under "any thread".
#pragma once

#include <atomic>
#include <cstdint>

#include "jobs/base/annotate.hpp"
#include "jobs/base/asymmetric_fence.hpp"
#include "jobs/base/chaos.hpp"
#include "jobs/base/counters.hpp"
#include "jobs/base/exceptions.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/queue/chase_lev_deque.hpp"
#include "jobs/runtime/job/job.hpp"
#include "jobs/runtime/job/loop_costs.hpp"
#include "jobs/runtime/memory/block_cache.hpp"
#include "jobs/runtime/memory/block_pools.hpp"
#include "jobs/runtime/parking/idle.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;
class Worker;

// Ids of Fibers. Each WorkerContext takes ranges of ids from one counter of the process, so that
// threads do not share a counter for single ids. Only the owner of the WorkerContext may call
// take().
class FiberIds {
 public:
  static std::uint64_t take_range(std::uint64_t length) noexcept {
    static constinit std::atomic<std::uint64_t> next{1};
    return next.fetch_add(length, std::memory_order_relaxed);  // Relaxed: ids need only be unique.
  }
  std::uint64_t take() noexcept {
    if (next_ == end_) {
      next_ = take_range(kRange);
      end_ = next_ + kRange;
    }
    return next_++;
  }

 private:
  static constexpr std::uint64_t kRange = 64;
  std::uint64_t next_ = 0;
  std::uint64_t end_ = 0;
};

class WorkerContext;

// The component of traces defines these functions (jobs/trace/traced_pushes.cpp). They are null in
// a program without it. pre: the context is traced.
[[gnu::weak]] JOBS_EXPORT void trace_spawn(WorkerContext& context, const Job& job) noexcept;
// Returns whether the job is a fork that is recorded. Parts of loops have no event.
[[gnu::weak]] JOBS_EXPORT bool trace_fork(WorkerContext& context, const Job& job) noexcept;
[[gnu::weak]] JOBS_EXPORT void after_traced_push(WorkerContext& context, bool is_fork) noexcept;
[[gnu::weak]] JOBS_EXPORT bool run_traced_fork(WorkerContext& context, Job& job) noexcept;
// As trace_spawn(), for a thread that is no worker. Any thread; without a precondition.
[[gnu::weak]] JOBS_EXPORT void trace_submission(const Job& job) noexcept;
// Bit of the offset of a chunk: it is the leaf of a reduction, whose other parts are forks.
inline constexpr std::uint64_t kTraceLeaf = std::uint64_t{1} << 63;
// A chunk of that loop begins, or the last one has ended. `first`: the offset of its first index.
[[gnu::weak]] JOBS_EXPORT void trace_chunk(const void* loop, std::uint64_t first,
                                           bool begins) noexcept;
// The calling thread begins or ends the call of that loop, whose first chunk any thread may run, or
// of that reduction.
[[gnu::weak]] JOBS_EXPORT void trace_loop(const void* loop, bool begins) noexcept;

class WorkerContext : public ThreadContext {
 public:
  // `worker`: null for an external participant, which has actions. `has_thieves`: whether other
  // workers exist. `node`: the memory node that the memory of this object prefers.
  WorkerContext(Shared& shared, Idle& idle, Worker* worker, bool has_thieves,
                os::Node node = os::kAnyNode, const ParticipantActions* actions = nullptr);
  ~WorkerContext();

  // --- owner ---
  // Pushes a job to the deque, and makes it visible to idle workers. If the deque cannot grow,
  // throws std::bad_alloc and changes nothing.
  JOBS_ALWAYS_INLINE void push(Job& job) { push_as<false>(job); }
  // As push(), for a job without a joiner. Only for the WorkerContext of a worker. In
  // SchedulerMode::kInline, the job runs before the call returns.
  JOBS_ALWAYS_INLINE void push_detached(Job& job) {
    spawned.add(1);  // before a thief can count the job as finished
    JOBS_TRY { push_as<true>(job); }
    JOBS_CATCH_ALL {
      spawned.subtract(1);
      JOBS_RETHROW;
    }
  }
  // Makes the deque public and notifies the idle workers. push() calls it if a worker searches or
  // sleeps, or has not begun.
  JOBS_EXPORT void publish() noexcept;
  // As publish(), after the push of a detached job. It also runs the job in SchedulerMode::kInline,
  // in which Idle makes each push publish.
  JOBS_EXPORT void publish_detached() noexcept;
  // Takes `job` if it is the newest entry, and returns true: the caller runs it. Returns false in
  // two cases: a thief has stolen the job, or another fiber of this worker has left its own jobs
  // above it. In the latter case, the loop of this worker takes the job later.
  JOBS_ALWAYS_INLINE bool pop_if(Job& job) noexcept {
    if (worker_ != nullptr && chaos::injects_failure())
      return false;  // An external participant has no loop.
    if (!take_if_youngest(job)) return false;
    // Another fiber of this worker may have taken the job and pushed it again in the meantime.
    sanitizer::annotate_acquire(&job);
    return true;
  }
  // Runs a fork below its marker, and returns true. Markers lie above forks that are recorded.
  bool run_marked(Job& job) noexcept { return is_traced_ && run_traced_fork(*this, job); }
  // Takes the newest job. Returns null if there is none. It loads first, because pop() of an empty
  // deque can cost two read-modify-writes.
  Job* pop() noexcept {
    [[maybe_unused]] const sanitizer::IgnoreSync queue;
    return deque_.looks_empty() ? nullptr : deque_.pop();
  }
  // Takes the oldest job, as a thief does. Returns null if there are fewer than two jobs.
  Job* pop_oldest() noexcept;
  // Returns whether a job waits below the newest one. A hint.
  bool has_older() const noexcept { return deque_.approximate_size() >= 2; }
  // Returns whether pop() would take that job, unless a thief steals it first.
  // pre: the job was pushed to this deque.
  bool is_youngest(const Job& job) noexcept { return deque_.is_youngest(&job); }
  // Steals a batch of the oldest jobs of another WorkerContext into this one: up to `most` jobs,
  // but no more than half of them. It stops early if another thread wins one of them. Returns the
  // number of jobs. pre: this deque is empty.
  unsigned take_from(WorkerContext& victim, unsigned max) noexcept {
    [[maybe_unused]] const sanitizer::IgnoreSync queue;
    const std::size_t half = victim.deque_.approximate_size() / 2;
    if (half < max) max = static_cast<unsigned>(half);
    unsigned taken = 0;
    for (; taken < max; ++taken) {
      const StealResult<Job> result = victim.deque_.steal();
      if (result.status != StealStatus::kTaken) break;
      sanitizer::annotate_acquire(result.item);
      push(*result.item);  // cannot fail: an empty deque has room for a batch
    }
    return taken;
  }
  // Returns whether a loop should split off work: thieves exist, and the previous part was taken.
  bool should_split() const noexcept { return has_thieves_ && deque_.looks_empty(); }
  bool has_thieves() const noexcept { return has_thieves_; }
  bool has_searching_workers() const noexcept { return idle_.has_searching_workers(); }
  // The number of critical jobs that wait for any worker of the scheduler, or a greater number. A
  // hint.
  const Atomic<std::uint32_t>& critical() const noexcept { return critical_; }
  // Runs a critical job before the calling fiber continues, if the calling thread is a worker and
  // may run the job (Worker::yield_to_critical).
  JOBS_EXPORT void yield_to_critical() noexcept;
  // The same for a high job (Worker::yield_to_high).
  JOBS_EXPORT void yield_to_high() noexcept;
  // A recorder of traces records spawns and chunks. Then the next push takes its rare path, which
  // records it; pushes that follow a take may stay unseen until the next call.
  void set_traced(bool is_on) noexcept {
    is_traced_ = is_on;
    if (is_on) deque_.refuse_next_push();
  }
  bool is_traced() const noexcept { return is_traced_; }
  // The current job, which the owner has just begun, serves the wait of an external participant for
  // `wait` (Lineage). Has no effect if the deque may have jobs that do not.
  JOBS_EXPORT void serve(const void* wait) noexcept;
  // Returns whether the blocks and the rings have more memory than an idle worker keeps.
  bool has_surplus() const noexcept { return blocks.bytes() + deque_.grown_bytes() > kKeptMemory; }
  // Called before the owner sleeps with a surplus. Returns memory to the system that no job has
  // needed for a second. It works in steps, so that the owner can look for work in between. Returns
  // the time at which the owner calls again: `now`, if another step is due; kNever, if it sleeps
  // without limit, because no surplus is left.
  JOBS_COLD os::Nanoseconds release_unused(os::Nanoseconds now) noexcept;
  // Returns all memory without jobs or blocks in use to the system. By the owner, or by the thread
  // that has joined it.
  JOBS_COLD void release_memory() noexcept;
  void record_cpu() noexcept { cpu_.store(os::current_cpu(), std::memory_order_relaxed); }
  void clear_cpu() noexcept { cpu_.store(os::kNoCpu, std::memory_order_relaxed); }

  // --- any thread ---
  // Frees a block that `blocks` allocated for `bytes`.
  void free_block(void* memory, std::size_t bytes) noexcept {
    BlockPool& pool = blocks.of(bytes);
    if (this_thread().context == this) {
      pool.deallocate_local(memory);
    } else {
      pool.deallocate_remote(memory);
    }
  }
  auto steal() noexcept { return deque_.steal(); }
  void force_publish() noexcept { deque_.force_publish(); }
  bool looks_empty() const noexcept { return deque_.looks_empty(); }
  // The number of jobs in the deque. A hint.
  std::size_t queue_length() const noexcept { return deque_.approximate_size(); }
  // Returns whether the last recorded CPU of the owner is `cpu`. The owner records its CPU before
  // it wakes other threads, and clears the record before it sleeps. A hint.
  bool ran_on(unsigned cpu) const noexcept { return cpu_.load(std::memory_order_relaxed) == cpu; }

  Shared& shared() const noexcept { return shared_; }
  Worker* worker() const noexcept { return worker_; }
  bool is_external() const noexcept { return worker_ == nullptr; }
  // Returns whether spawn() on the owner's thread pushes to this deque. Otherwise spawn() submits
  // its job as an external thread does.
  bool takes_spawned() const noexcept { return takes_spawned_; }
  // By the creator of the context or of the scheduler, before another thread knows it.
  void refuse_spawned() noexcept { takes_spawned_ = false; }

  BlockPools blocks;
  // Block sizes for the objects of Fibers. A block of malloc() adds 8 bytes. The large size is for
  // a Fiber with a function that captures up to 100 bytes.
  static constexpr std::size_t kSmallFiber = 280;
  static constexpr std::size_t kLargeFiber = 408;
  BlockCache small_fibers{kSmallFiber};
  BlockCache large_fibers{kLargeFiber};
  FiberIds fiber_ids;
  LoopCosts loop_costs;
  // Detached jobs and fibers that this thread has submitted.
  SingleWriterCounter spawned;
  // Detached jobs and fibers that have ended on this thread.
  SingleWriterCounter finished;
  // Forked jobs that ran on this thread, but not in the frame of their joiner.
  SingleWriterCounter stolen_forks;
  // Blocks that this thread has taken from the heap, because they are too large for `blocks`.
  SingleWriterCounter heap_blocks;

 private:
  template <bool kDetached>
  JOBS_ALWAYS_INLINE void push_as(Job& job) {
    sanitizer::annotate_release(&job);
    [[maybe_unused]] const sanitizer::IgnoreSync queue;
    if (!deque_.try_push(&job)) [[unlikely]]
      return kDetached ? push_detached_into_larger(job) : push_into_larger(job);
    chaos::inject_delay();
    if (idle_.has_idle_workers()) [[unlikely]]
      kDetached ? publish_detached() : publish();
  }
  JOBS_ALWAYS_INLINE bool take_if_youngest(const Job& job) noexcept {
    [[maybe_unused]] const sanitizer::IgnoreSync queue;
    return deque_.pop_if(&job);
  }
  // Returns whether the last push leaves its job to threads that are awake, because of seats.
  bool leaves_to_seats() noexcept;
  // Entirely out of line, so that the fast path keeps no address of the deque.
  JOBS_COLD JOBS_TAG_OF_MODE void push_into_larger(Job& job) {
    const bool is_fork = is_traced_ && trace_fork(*this, job);  // before a thief can begin the job
    deque_.push(&job);
    if (idle_.has_idle_workers()) publish();
    if (is_traced_) after_traced_push(*this, is_fork);
  }
  JOBS_COLD JOBS_TAG_OF_MODE void push_detached_into_larger(Job& job) {
    if (is_traced_) trace_spawn(*this, job);
    deque_.push(&job);
    if (idle_.has_idle_workers()) publish_detached();
    if (is_traced_) deque_.refuse_next_push();
  }
  friend void trace_spawn(WorkerContext& context, const Job& job) noexcept;
  friend bool trace_fork(WorkerContext& context, const Job& job) noexcept;
  friend void after_traced_push(WorkerContext& context, bool is_fork) noexcept;
  friend bool run_traced_fork(WorkerContext& context, Job& job) noexcept;
  static constexpr std::size_t kKeptMemory = 1 << 20;  // bytes
  static constexpr os::Nanoseconds kUnusedAge = 1'000'000'000;
  // The longest sleep of an owner with a surplus: other threads may free its blocks meanwhile.
  static constexpr os::Nanoseconds kLongestSleep = 5'000'000'000;

#if defined(JOBS_MODEL)
  ChaseLevDeque<Job, std::int8_t, 2, 1> deque_;  // A model has few atomics.
#else
  ChaseLevDeque<Job> deque_;
#endif
  Idle& idle_;
  Shared& shared_;
  Worker* const worker_;
  const Atomic<std::uint32_t>& critical_;
  const bool has_thieves_;
  bool is_traced_ = false;
  bool takes_spawned_ = true;
  // The number of pushes of an external participant that have taken their rare path.
  unsigned rare_pushes_ = 0;
  // The time of the next release of unused memory; kNever: none is due.
  os::Nanoseconds release_at_ = os::kNever;
  Atomic<unsigned> cpu_{os::kNoCpu};
};

// The WorkerContext of the calling thread: that of a worker or of an external participant. Null on
// any other thread.
inline WorkerContext* this_context() noexcept {
  return static_cast<WorkerContext*>(this_thread().context);
}

}  // namespace jobs::inline JOBS_ABI::detail
