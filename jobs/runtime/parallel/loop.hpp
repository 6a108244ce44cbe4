// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The lazy range behind parallel_for: the thread that has a range runs it chunk by chunk, and keeps the upper half of the rest on
// offer: it gives that away when its deque is empty, that is, when what it offered before has been taken. So a thief finds half of
// the rest at once, however long the victim's chunk is, and a loop that nobody steals from splits log2(chunks) times.
// Source: lazy binary splitting, Tzannes, Caragea, Barua, Vishkin, "Lazy binary-splitting", PPoPP 2010, with time in place of
// a given grain.
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
JOBS_ORDER(kLetGo, acq_rel);  // [L2] the second one to let go frees what the first one has read; partner: itself
}  // namespace loop_order

template <class Chunk>
void run_loop_part(LoopState& loop, Lane& lane, std::uint64_t begin, std::uint64_t end, ChunkSize size, Chunk& chunk);

// [begin, end) as a job. In a block of the lane that it was made on. Its maker may hold on to it longer than it takes to run, to see
// whether it is still there: so it is freed by the second one of the two to let go.
template <class Chunk>
class LoopPart final : public Job {
 public:
  // Null if there is no memory for it.
  static LoopPart* make(LoopState& loop, Lane& lane, std::uint64_t begin, std::uint64_t end, ChunkSize size,
                        Chunk& chunk) noexcept {
    JOBS_TRY {
      void* const memory = lane.blocks.of(sizeof(LoopPart)).allocate();
      return ::new (memory) LoopPart(loop, lane, begin, end, size, chunk);
    }
    JOBS_CATCH(std::bad_alloc) { return nullptr; }
  }
  std::uint64_t begin() const noexcept { return begin_; }
  std::uint64_t end() const noexcept { return end_; }

  // --- maker ---
  // It has been, or will be, run as a job.
  void let_go() noexcept {
    if (let_go_.exchange(true, loop_order::kLetGo)) free();
  }
  // It never will.
  void free() noexcept {
    Lane& home = home_;
    this->~LoopPart();
    home.free_block(this, sizeof(LoopPart));
  }

 private:
  LoopPart(LoopState& loop, Lane& home, std::uint64_t begin, std::uint64_t end, ChunkSize size, Chunk& chunk) noexcept
      : Job(&execute), loop_(loop), home_(home), begin_(begin), end_(end), size_(size), chunk_(chunk) {}
  ~LoopPart() = default;

  static void execute(Job& job) {
    auto& self = static_cast<LoopPart&>(job);
    LoopState& loop = self.loop_;
    run_guarded([&] { run_loop_part(loop, *this_context(), self.begin_, self.end_, self.size_, self.chunk_); },
                [&](std::exception_ptr exception) { loop.fail(self.begin_, std::move(exception)); });
    self.let_go();
    loop.end_part();
  }

  LoopState& loop_;
  Lane& home_;
  const Plain<std::uint64_t> begin_;
  const Plain<std::uint64_t> end_;
  const ChunkSize size_;
  Chunk& chunk_;
  Atomic<bool> let_go_{false};
};

// What the thread that runs a part has on offer: one part at most, since it offers only when its deque is empty.
template <class Chunk>
class LoopOffer {
 public:
  LoopOffer(LoopState& loop, Lane& lane, Chunk& chunk) noexcept : loop_(loop), lane_(lane), chunk_(chunk) {}
  // What is still there is not run any more.
  ~LoopOffer() {
    if (part_ != nullptr) [[unlikely]] {
      std::uint64_t begin;
      std::uint64_t end;
      take_back(begin, end);
    }
  }
  LoopOffer(const LoopOffer&) = delete;
  LoopOffer& operator=(const LoopOffer&) = delete;

  // False: there is no memory for it.
  bool offer(std::uint64_t begin, std::uint64_t end, ChunkSize size) noexcept {
    if (part_ != nullptr) std::exchange(part_, nullptr)->let_go();
    LoopPart<Chunk>* const part = LoopPart<Chunk>::make(loop_, lane_, begin, end, size, chunk_);
    if (part == nullptr) return false;
    loop_.begin_part();
    JOBS_TRY { lane_.push(*part); }
    JOBS_CATCH(std::bad_alloc) {
      part->free();
      loop_.end_part();
      return false;
    }
    part_ = part;
    return true;
  }
  // False: somebody else has it, or there was none.
  bool take_back(std::uint64_t& begin, std::uint64_t& end) noexcept {
    if (part_ == nullptr) return false;
    LoopPart<Chunk>& part = *std::exchange(part_, nullptr);
    if (!lane_.pop_if(part)) {
      part.let_go();
      return false;
    }
    begin = part.begin();
    end = part.end();
    part.free();
    loop_.end_part();
    return true;
  }

 private:
  LoopState& loop_;
  Lane& lane_;
  Chunk& chunk_;
  LoopPart<Chunk>* part_ = nullptr;
};

// Runs chunk(begin, end) over [begin, end), but for what others take of it.
template <class Chunk>
void run_loop_part(LoopState& loop, Lane& lane, std::uint64_t begin, std::uint64_t end, ChunkSize size, Chunk& chunk) {
  LoopOffer<Chunk> offer(loop, lane, chunk);
  do {
    os::Nanoseconds start = 0;
    std::uint64_t part = end - begin;
    while (begin < end) {
      if (loop.is_cancelled()) return;
      if (lane.should_offer() &&
          size.is_worth_sharing(end - begin, lane.is_anyone_searching() ? kWorthSharing : kWorthWaking)) {
        const std::uint64_t middle = size.middle(begin, end);
        if (offer.offer(middle, end, size)) end = middle;
        part = end - begin;
      }
      const std::uint64_t stop = size.stop(begin, end);
      if (size.is_automatic() && start == 0 && stop < end) start = os::quick_now();
      JOBS_TRY { chunk(begin, stop); }
      JOBS_CATCH_ALL {
        loop.cancel();
        JOBS_RETHROW;
      }
      if (start != 0 && stop < end) {
        const os::Nanoseconds now = os::quick_now();
        size.adapt(now - start, stop - begin, part);
        start = now;  // one clock read a chunk: the next one begins here
      }
      begin = stop;
    }
  } while (offer.take_back(begin, end));
}

// Runs chunk(begin, end) over [begin, end), offsets from the loop's first index; returns when all has ended. Rethrows the exception of
// the lowest index among the parts that threw.
template <class Chunk>
void run_range(LoopState& loop, Lane& lane, std::uint64_t begin, std::uint64_t end, ChunkSize size, Chunk& chunk) {
  JOBS_TRY { run_loop_part(loop, lane, begin, end, size, chunk); }
  JOBS_CATCH_ALL {
    loop.join();
    JOBS_RETHROW;  // what this thread runs lies below all that it has given away
  }
  loop.join();
  loop.rethrow();
}

}  // namespace jobs::inline JOBS_ABI::detail
