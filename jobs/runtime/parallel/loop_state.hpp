// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopState: what all parts of one loop share: how many of them run, whether they are to stop, and the exception to be rethrown. In
// the frame of the call, which waits until no part is left. Internal to the loops.
//
// Whoever runs a part counts; one that runs may let others begin. Nobody waits for a part that it gave away but the call, for all at
// once: so nobody's end hangs on the ends of others, one after the other.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/runtime/job/job.hpp"

namespace jobs::inline JOBS_ABI::detail JOBS_OF_MODE {

namespace loop_order {
JOBS_ORDER(kCancel, relaxed);  // only cuts work short
JOBS_ORDER(kBegin, relaxed);   // what a part needs to know travels with its job
JOBS_ORDER(kEnd, acq_rel);     // [L1] what the parts did is seen by the last of them, and by whoever it wakes
JOBS_ORDER(kLook, acquire);    // [L1] partner: kEnd
}  // namespace loop_order

class LoopState {
 public:
  bool is_cancelled() const noexcept { return cancelled_.load(loop_order::kCancel); }
  void cancel() noexcept { cancelled_.store(true, loop_order::kCancel); }

  // Somebody who runs a part gives one away.
  void begin_part() noexcept { running_.fetch_add(1, loop_order::kBegin); }
  // The last touch of a part that was given away.
  void end_part() noexcept {
    if (running_.fetch_sub(1, loop_order::kEnd) == 1) all_ended_.finish();
  }
  // The part that began at this index failed. Before its end.
  JOBS_COLD void fail(std::uint64_t begin, std::exception_ptr exception) noexcept {
    lock_.lock();
    if (exception_ == nullptr || begin < begin_) {
      begin_ = begin;
      exception_.swap(exception);  // one that another exception has replaced is destroyed after the unlock
    }
    lock_.unlock();
  }

  // --- the call, whose own part has ended ---
  // Once; post: no part runs.
  void join() noexcept {
    if (running_.load(loop_order::kLook) == 1) return;
    if (running_.fetch_sub(1, loop_order::kEnd) != 1) all_ended_.join();
  }
  // What the part of the lowest index has thrown.
  void rethrow() {
    if (exception_ != nullptr) [[unlikely]]
      std::rethrow_exception(std::move(exception_));
  }

 private:
  static void run_never(Job&) {}

  Atomic<bool> cancelled_{false};
  Atomic<std::uint32_t> running_{1};  // the call's own part
  Job all_ended_{&run_never};         // a job for its end alone
  SpinLock lock_;                     // of the two below
  std::uint64_t begin_ = 0;
  std::exception_ptr exception_;
};

}  // namespace jobs::inline JOBS_ABI::detail
