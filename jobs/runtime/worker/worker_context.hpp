// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Lane: what a thread needs to fork and to spawn: its deque, its job memory, its tallies. Each worker has one, and so has each
// guest (an external thread inside a loop of its own) for as long as it is one. Thieves see only steal(), raid() and
// looks_empty().
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
#include "jobs/runtime/memory/block_cache.hpp"
#include "jobs/runtime/memory/block_pools.hpp"
#include "jobs/runtime/parking/idle.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Shared;
class Worker;

// Ids of Fibers, taken from the process's in ranges, so that threads do not share a count.
class FiberIds {
 public:
  static std::uint64_t take_range(std::uint64_t length) noexcept {
    static constinit std::atomic<std::uint64_t> next{1};
    return next.fetch_add(length, std::memory_order_relaxed);  // unique is all they have to be
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

class Lane : public ThreadContext {
 public:
  // `worker`: null for a guest. `has_thieves`: there are other workers. `node`: where its memory is to lie.
  Lane(Shared& shared, Idle& idle, Worker* worker, bool has_thieves, os::Node node = os::kAnyNode);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  // --- owner ---
  // Throws std::bad_alloc when the deque cannot grow; nothing has changed then.
  JOBS_ALWAYS_INLINE void push(Job& job) {
    sanitizer::hand_over(&job);
    [[maybe_unused]] const sanitizer::Unordered queue;
    if (!deque_.try_push(&job)) [[unlikely]]
      return push_into_larger(job);
    chaos::point();
    if (idle_.is_anyone_idle()) [[unlikely]]
      offer();
  }
  // As push(), for a job that nobody joins; a worker's lane only.
  JOBS_ALWAYS_INLINE void push_detached(Job& job) {
    spawned.add(1);  // before a thief can count it as finished
    JOBS_TRY { push(job); }
    JOBS_CATCH_ALL {
      spawned.subtract(1);
      JOBS_RETHROW;
    }
  }
  // True: `job` was the newest entry and is the caller's to run. False: it was stolen, or a fiber that interleaved with this one
  // left its own jobs above it, and then this worker's loop will take it.
  JOBS_ALWAYS_INLINE bool pop_if(Job& job) noexcept {
    if (worker_ != nullptr && chaos::strikes()) return false;  // a guest has no loop to come to it
    if (!take_if_youngest(job)) return false;
    sanitizer::take_over(&job);  // another fiber of this worker may have had it meanwhile, and pushed it again
    return true;
  }
  // Looks first: on an empty deque pop() might pay two read-modify-writes.
  Job* pop() noexcept {
    [[maybe_unused]] const sanitizer::Unordered queue;
    return deque_.looks_empty() ? nullptr : deque_.pop();
  }
  // What lies here is for others from now on: this thread goes to rest. It was published with regard to guests, whose seats leave a
  // worker asleep because somebody works already.
  JOBS_COLD void leave_to_others() noexcept {
    if (deque_.looks_empty()) return;
    deque_.share();
    idle_.published_outside();
  }
  // Whether pop() would take that job, unless a thief is quicker. pre: it was pushed here.
  bool is_youngest(const Job& job) noexcept { return deque_.is_youngest(&job); }
  // Steals some of the oldest jobs of another lane: so many, but half of them at most, and fewer if others come for them. Returns how
  // many. pre: this one is empty.
  unsigned take_from(Lane& victim, unsigned most) noexcept {
    [[maybe_unused]] const sanitizer::Unordered queue;
    const std::size_t half = victim.deque_.approximate_size() / 2;
    if (half < most) most = static_cast<unsigned>(half);
    unsigned taken = 0;
    for (; taken < most; ++taken) {
      const StealResult<Job> result = victim.deque_.steal();
      if (result.outcome != StealOutcome::kTaken) break;
      sanitizer::take_over(result.item);
      push(*result.item);  // cannot fail: there is room for more than a batch
    }
    return taken;
  }
  // Whether a loop should split off work: there is somebody to take it, and what was offered before is gone.
  bool should_offer() const noexcept { return has_thieves_ && deque_.looks_empty(); }
  bool has_thieves() const noexcept { return has_thieves_; }
  bool is_anyone_searching() const noexcept { return idle_.is_anyone_searching(); }
  void note_cpu() noexcept { cpu_.store(os::current_cpu(), std::memory_order_relaxed); }
  void forget_cpu() noexcept { cpu_.store(kNowhere, std::memory_order_relaxed); }

  // --- any thread ---
  // A block that `blocks` gave for so many bytes.
  void free_block(void* memory, std::size_t bytes) noexcept {
    BlockPool& pool = blocks.of(bytes);
    if (this_thread().lane == this) {
      pool.deallocate_at_home(memory);
    } else {
      pool.deallocate_from_afar(memory);
    }
  }
  auto steal() noexcept { return deque_.steal(); }
  void raid() noexcept { deque_.raid(); }
  bool looks_empty() const noexcept { return deque_.looks_empty(); }
  // Whether its thread was on that CPU when it last looked, which it does before it wakes others, and does not sleep. A hint.
  bool was_on(unsigned cpu) const noexcept { return cpu_.load(std::memory_order_relaxed) == cpu; }

  Shared& shared() const noexcept { return shared_; }
  Worker* worker() const noexcept { return worker_; }
  bool is_guest() const noexcept { return worker_ == nullptr; }

  BlockPools blocks;
  // A block of malloc() has 8 bytes more. The large one is for a Fiber whose function captures up to 100 bytes.
  static constexpr std::size_t kSmallFiber = 280;
  static constexpr std::size_t kLargeFiber = 408;
  BlockCache small_fibers{kSmallFiber};
  BlockCache large_fibers{kLargeFiber};
  FiberIds fiber_ids;
  Tally spawned;       // detached jobs and fibers submitted from here
  Tally finished;      // ... and finished here
  Tally stolen_forks;  // forked jobs that ran here, not with their joiner
  // Blocks that were taken from the heap here because they are too large for `blocks`.
  Tally heap_blocks;

 private:
  JOBS_ALWAYS_INLINE bool take_if_youngest(const Job& job) noexcept {
    [[maybe_unused]] const sanitizer::Unordered queue;
    return deque_.pop_if(&job);
  }
  // All of it out of line, so that the fast path keeps no address of the deque.
  JOBS_COLD JOBS_TAG_OF_MODE void push_into_larger(Job& job) {
    deque_.push(&job);
    if (idle_.is_anyone_idle()) offer();
  }
  // Somebody searches or sleeps, or has not begun.
  JOBS_EXPORT void offer() noexcept;

  ChaseLevDeque<Job> deque_;
  Idle& idle_;
  Shared& shared_;
  Worker* const worker_;
  const bool has_thieves_;
  static constexpr unsigned kNowhere = ~0u;
  Atomic<unsigned> cpu_{kNowhere};
};

// The lane of the calling thread: the worker's or the guest's; null: unbound thread.
inline Lane* this_context() noexcept { return static_cast<Lane*>(this_thread().lane); }

}  // namespace jobs::inline JOBS_ABI::detail
