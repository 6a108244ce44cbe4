// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The lazy range of parallel_for: LoopPart (a published part), LoopSplit (the offer of one thread),
// and the functions that run a part and the whole loop.
//
// Owner: the frame of run_loop_part() owns the LoopSplit. The maker and the running thread share a
// LoopPart. All parts of a loop share one LoopState (loop_state.hpp), which the call owns.
//
// Threads: the owner of the worker context calls run_range(), run_loop_part() and all functions of
// LoopSplit. A thief calls LoopPart::execute() only.
//
// Protocol of the thread that owns a range:
//
//   step 1: if the deque is empty and the remaining range is large enough, publish its upper half
//           as a LoopPart
//   step 2: if a critical job waits, run it on another fiber of the worker
//   step 3: run one chunk from the lower end, measure it, and repeat from step 1;
//           after a long chunk, first run a high job, if one waits, on another fiber
//   step 4: at the end of the range, take back the published part;
//           unless a thief has it, continue with step 1
//
// An empty deque means that a thief has taken the previous offer. A thief therefore finds half of
// the remaining range at once, however long the victim's chunk is. A loop without thefts splits
// log2(chunks) times.
//
// Proof of the end of a part. The maker keeps a pointer to the part longer than the part may take
// to run. It passes this pointer to pop_if(), to find out whether the part still lies in its deque.
// Therefore the part is freed by the second of two threads to release it [loop.1]. If pop_if()
// succeeds, no thread will run the part, and the maker frees it directly.
//
// Source: lazy binary splitting: Tzannes, Caragea, Barua, Vishkin, "Lazy binary-splitting",
// PPoPP 2010, with time instead of a given grain.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <utility>

#include "jobs/base/exceptions.hpp"
#include "jobs/base/os.hpp"
#include "jobs/fiber/current.hpp"
#include "jobs/runtime/job/job_result.hpp"
#include "jobs/runtime/parallel/chunk_size.hpp"
#include "jobs/runtime/parallel/loop_state.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

namespace loop_order {
// [loop.1] the second thread to release a part frees the memory that the first has read;
// partner: itself
JOBS_ORDER(kRelease, acq_rel);
JOBS_ORDER(kCritical, relaxed);  // a hint; the lock of the queue publishes the job
}  // namespace loop_order

template <class Chunk>
float run_loop_part(LoopState& loop, WorkerContext& context, std::uint64_t begin, std::uint64_t end,
                    ChunkSize size, Chunk& chunk);

// The range [begin, end) as a job, in a block of the maker's worker context. The maker and the
// running thread share the part; the second of them to release it frees the block.
template <class Chunk>
class LoopPart final : public Job {
 public:
  // Returns null if no memory is available. Owner of `context` only.
  static LoopPart* make(LoopState& loop, WorkerContext& context, std::uint64_t begin,
                        std::uint64_t end, ChunkSize size, Chunk& chunk) noexcept {
    JOBS_TRY {
      void* const memory = context.blocks.of(sizeof(LoopPart)).allocate();
      return ::new (memory) LoopPart(loop, context, begin, end, size, chunk);
    }
    JOBS_CATCH(std::bad_alloc) { return nullptr; }
  }
  std::uint64_t begin() const noexcept { return begin_; }
  std::uint64_t end() const noexcept { return end_; }

  // --- maker ---
  // Releases a part that has run or will run as a job. The maker and the running thread call it,
  // once each.
  void release() noexcept {
    if (released_.exchange(true, loop_order::kRelease)) free();
  }
  // Frees a part that will not run, or that both threads have released.
  void free() noexcept {
    WorkerContext& home = home_;
    this->~LoopPart();
    home.free_block(this, sizeof(LoopPart));
  }

 private:
  LoopPart(LoopState& loop, WorkerContext& home, std::uint64_t begin, std::uint64_t end,
           ChunkSize size, Chunk& chunk) noexcept
      : Job(&execute),
        loop_(loop),
        home_(home),
        begin_(begin),
        end_(end),
        size_(size),
        chunk_(chunk) {}
  ~LoopPart() = default;

  static void execute(Job& job) {
    auto& self = static_cast<LoopPart&>(job);
    LoopState& loop = self.loop_;
    WorkerContext& context = *this_context();
    if (self.home_.is_external()) context.serve(loop.wait());
    run_guarded(
        [&] { run_loop_part(loop, context, self.begin_, self.end_, self.size_, self.chunk_); },
        [&](std::exception_ptr exception) { loop.fail(self.begin_, std::move(exception)); });
    if (loop.is_traced()) [[unlikely]]
      trace_chunk(&loop, 0, false);
    self.release();
    loop.finish_part();
  }

  LoopState& loop_;
  WorkerContext& home_;
  const Plain<std::uint64_t> begin_;
  const Plain<std::uint64_t> end_;
  const ChunkSize size_;
  Chunk& chunk_;
  Atomic<bool> released_{false};
};

// The offer of the thread that runs a part. Invariant: at most one part, because the thread offers
// only when its deque is empty.
template <class Chunk>
class LoopSplit {
 public:
  LoopSplit(LoopState& loop, WorkerContext& context, Chunk& chunk) noexcept
      : loop_(loop), context_(context), chunk_(chunk) {}
  // Takes back and drops a part that no thief has taken: an exception or a cancellation has ended
  // the loop.
  ~LoopSplit() {
    if (part_ != nullptr) [[unlikely]] {
      std::uint64_t begin;
      std::uint64_t end;
      take_back(begin, end);
    }
  }
  LoopSplit(const LoopSplit&) = delete;
  LoopSplit& operator=(const LoopSplit&) = delete;

  // Publishes [begin, end). Returns false if no memory is available.
  // begin_part() comes before the push: a thief may end the part at once.
  bool split(std::uint64_t begin, std::uint64_t end, ChunkSize size) noexcept {
    if (part_ != nullptr) std::exchange(part_, nullptr)->release();
    LoopPart<Chunk>* const part = LoopPart<Chunk>::make(loop_, context_, begin, end, size, chunk_);
    if (part == nullptr) return false;
    loop_.begin_part();
    JOBS_TRY { context_.push(*part); }
    JOBS_CATCH(std::bad_alloc) {
      part->free();
      loop_.finish_part();
      return false;
    }
    part_ = part;
    return true;
  }
  // Takes the published part back. Returns false if a thief has taken it, or if none was published.
  bool take_back(std::uint64_t& begin, std::uint64_t& end) noexcept {
    if (part_ == nullptr) return false;
    LoopPart<Chunk>& part = *std::exchange(part_, nullptr);
    if (!context_.pop_if(part)) {
      part.release();
      return false;
    }
    begin = part.begin();
    end = part.end();
    part.free();
    loop_.finish_part();
    return true;
  }

 private:
  LoopState& loop_;
  WorkerContext& context_;
  Chunk& chunk_;
  LoopPart<Chunk>* part_ = nullptr;
};

// Runs chunk(begin, end) over [begin, end), except for the subranges that thieves take. Returns the
// measured cost of an iteration; kUnmeasured if it has measured none. Owner of `context` only.
template <class Chunk>
float run_loop_part(LoopState& loop, WorkerContext& context, std::uint64_t begin, std::uint64_t end,
                    ChunkSize size, Chunk& chunk) {
  LoopSplit<Chunk> split(loop, context, chunk);
  const auto& critical = context.critical();
  do {
    os::Nanoseconds start = 0;
    std::uint64_t part = end - begin;
    while (begin < end) {
      if (loop.is_special()) [[unlikely]] {
        if (loop.is_cancelled()) return ChunkSize::kUnmeasured;
        trace_chunk(&loop, begin, true);
      }
      if (context.should_split() &&
          size.is_worth_sharing(end - begin,
                                context.has_searching_workers() ? kWorthSharing : kWorthWaking)) {
        const std::uint64_t middle = size.middle(begin, end);
        if (split.split(middle, end, size)) end = middle;
        part = end - begin;
      }
      if (critical.load(loop_order::kCritical) != 0) [[unlikely]] {
        context.yield_to_critical();
        start = 0;  // The next chunk begins after the job.
      }
      const std::uint64_t stop = size.stop(begin, end);
      if (size.is_automatic() && start == 0 && size.measures(stop == end)) start = os::quick_now();
      JOBS_TRY { chunk(begin, stop); }
      JOBS_CATCH_ALL {
        loop.cancel();
        JOBS_RETHROW;
      }
      if (start != 0 && size.measures(stop == end)) {
        const os::Nanoseconds now = os::quick_now();
        size.adapt(now - start, stop - begin, part);
        const bool gives_way = now - start >= kGivesWay;
        start = now;  // one clock read per chunk: the next chunk begins here
        if (gives_way) [[unlikely]] {
          context.yield_to_high();
          start = 0;
        }
      }
      begin = stop;
    }
  } while (split.take_back(begin, end));
  return size.cost();
}

// Runs chunk(begin, end) over [begin, end), as offsets from the loop's first index. Returns when
// all parts have ended. Of the parts that threw, rethrows the exception of the part with the lowest
// index. The call's thread only.
template <class Chunk>
void run_range(LoopState& loop, WorkerContext& context, std::uint64_t begin, std::uint64_t end,
               ChunkSize size, Chunk& chunk) {
  const bool learns = size.is_automatic() && end - begin > 1 && context.has_thieves();
  const LoopCosts::Code code = &loop_code<Chunk>;
  if (learns) size.expect(context.loop_costs.expected(code));
  float cost = ChunkSize::kUnmeasured;
  if (context.is_traced()) [[unlikely]]
    loop.trace_chunks();
  JOBS_TRY { cost = run_loop_part(loop, context, begin, end, size, chunk); }
  JOBS_CATCH_ALL {
    loop.join();
    JOBS_RETHROW;  // the range of this thread lies below all parts that it has published
  }
  if (loop.is_traced()) [[unlikely]]
    trace_chunk(&loop, 0, false);
  if (learns && cost != ChunkSize::kUnmeasured) context.loop_costs.learn(code, cost);
  loop.join();
  loop.rethrow();
}

}  // namespace jobs::inline JOBS_ABI::detail
