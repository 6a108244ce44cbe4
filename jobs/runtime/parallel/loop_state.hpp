// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopState: the state that all parts of one loop share: the number of running parts, the
// cancellation flag, and the exception to rethrow. Internal to the loops.
//
// Owner: the frame of the call, which waits until no part is left. The call's thread calls join()
// and rethrow(). Any thread that runs a part calls the other functions.
//
// Protocol. `running_` counts the parts that run or stand in a deque; the call's own part counts.
//
//   step 1: a running part counts a new part, and then pushes it
//   step 2: a part that ends counts down; the part that reaches zero finishes `all_ended_`
//   step 3: the call counts its own part down; unless it reaches zero, it joins `all_ended_`
//
// Proof. Only a counted part counts a new part, so the count reaches zero once. Each count-down
// releases the effects of its part, and acquires the effects of all earlier parts [loop_state.1];
// finish() and join() pass them to the call. The count-down, or finish(), is the last access of a
// part. The call therefore may destroy the state after join().
//
// Rejected: parts as children that each splitting thread joins, as in fork_join. The end of one
// part then depends on the ends of other parts, one after the other. Here only the call waits, for
// all parts at once.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

namespace loop_order {
JOBS_ORDER(kCancel, relaxed);  // only cuts work short
JOBS_ORDER(kBegin, relaxed);   // the push of its job publishes the data of a part
// [loop_state.1] the effects of all parts, for the last part and the call that it wakes;
// partner: itself
JOBS_ORDER(kEnd, acq_rel);
JOBS_ORDER(kLook, acquire);  // [loop_state.1] partner: kEnd
}  // namespace loop_order

class LoopState {
 public:
  bool is_cancelled() const noexcept {
    return (flags_.load(loop_order::kCancel) & kCancelled) != 0;
  }
  // No flag gets lost: the call sets kTraced before other threads have parts.
  void cancel() noexcept {
    flags_.store(flags_.load(loop_order::kCancel) | kCancelled, loop_order::kCancel);
  }
  // The call: its chunks are recorded. Before it publishes a part.
  void trace_chunks() noexcept { flags_.store(kTraced, loop_order::kCancel); }
  bool is_traced() const noexcept { return (flags_.load(loop_order::kCancel) & kTraced) != 0; }
  // Returns whether the loop is cancelled or recorded: one test for each chunk.
  bool is_special() const noexcept { return flags_.load(loop_order::kCancel) != 0; }

  // Counts a new part. A running part calls it, before it pushes the new part.
  void begin_part() noexcept { running_.fetch_add(1, loop_order::kBegin); }
  // Counts a published part down. The thread that ran the part calls it as its last access.
  void finish_part() noexcept {
    if (running_.fetch_sub(1, loop_order::kEnd) == 1) all_ended_.finish();
  }
  // Records the exception of the part that began at index `begin`. The thread that ran the part
  // calls it, before finish_part().
  JOBS_COLD void fail(std::uint64_t begin, std::exception_ptr exception) noexcept {
    lock_.lock();
    if (exception_ == nullptr || begin < begin_) {
      begin_ = begin;
      exception_.swap(exception);  // the replaced exception is destroyed after the unlock
    }
    lock_.unlock();
  }

  // The object of the call's wait, for Lineage.
  const void* wait() const noexcept { return &all_ended_; }

  // --- the call, after the end of its own part ---
  // Waits for all parts. Once. post: no part runs.
  void join() noexcept {
    if (running_.load(loop_order::kLook) == 1) return;
    if (running_.fetch_sub(1, loop_order::kEnd) != 1) all_ended_.join();
  }
  // Rethrows the exception of the part with the lowest index, if any part failed. After join().
  void rethrow() {
    if (exception_ != nullptr) [[unlikely]]
      std::rethrow_exception(std::move(exception_));
  }

 private:
  static void run_never(Job&) {}

  static constexpr std::uint8_t kCancelled = 1;
  static constexpr std::uint8_t kTraced = 2;

  Atomic<std::uint8_t> flags_{0};
  Atomic<std::uint32_t> running_{1};  // the call's own part
  Job all_ended_{&run_never};         // only finish() and join() are used
  RawSpinLock lock_;                  // guards begin_ and exception_
  std::uint64_t begin_ = 0;
  std::exception_ptr exception_;
};

}  // namespace jobs::inline JOBS_ABI::detail
