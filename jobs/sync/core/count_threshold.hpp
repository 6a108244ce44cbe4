// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Internal: `CountThreshold`, a wait for the count of a Counter to fall to a number.
//
// Owner: the frame of the wait, or a job that waits. Any thread may call fell(); the other members
// are for the thread of the waiter.
//
// A CountdownCore wakes its waiters at zero and looks at no other number. So a threshold marks the
// core: it adds kMark to the count, as if jobs were outstanding, and each done() sees the mark.
//   step 1  link() puts the threshold on the list of a bucket, which the address of the core
//           selects. The first threshold of a core marks the core by a compare-and-swap, which
//           fails if the count has fallen. Both happen under the lock of the bucket.
//   step 2  A done() at a marked core calls fell(). It loads the count and removes the thresholds
//           that the count has reached from the bucket, both under the lock.
//   step 3  The thread that removes the last threshold of a core removes the mark, under the lock.
//           If the count is zero, this step opens the core, and the thread wakes the waiters for
//           zero.
//   step 4  fell() wakes the waiters that it has removed, without the lock.
//
// *No waiter is lost.* A done() after step 1 sees the mark and waits for the lock. One of them
// takes the count to the number or below. If another thread adds jobs before the load of step 2,
// the threshold stays, and the mark with it, for a later done(). *No access after destruction.*
// Waiters for zero do not pass while the core is marked. A thread of step 2 does not access the
// core before it has found a threshold of it; then the mark is set, and no thread removes it
// without the lock. *No early wake-up.* The thread may be late: the core may be gone, and another
// core may be in its place. The load of step 2 reads that core, so its thresholds stay.
//
// The waiter is a fiber, an external thread, or a job that starts at the number (ThresholdWait in
// runtime/scheduler/job_trigger.hpp).
#pragma once

#include <cstdint>
#include <stop_token>

#include "jobs/queue/raw_spin_lock.hpp"
#include "jobs/sync/core/countdown_core.hpp"

namespace jobs::inline JOBS_ABI::detail {

class JOBS_EXPORT CountThreshold {
 public:
  // The greatest bit of a payload, far above every count.
  static constexpr std::uint64_t kMark = std::uint64_t{1} << 61;
  // The count in a payload with or without the mark.
  static constexpr std::uint64_t count_of(WaitState state) noexcept {
    return state.payload() & (kMark - 1);
  }
  static constexpr bool is_marked(WaitState state) noexcept { return state.payload() >= kMark; }

  // Waits until the count is at most `most`. Returns false if the deadline passed or a stop was
  // requested first. Throws as other waits.
  static bool wait_at_most(CountdownCore& core, std::uint64_t most, os::Nanoseconds deadline,
                           const std::stop_token& stop);

  CountThreshold(CountdownCore& core, std::uint64_t most) noexcept : core_(core), most_(most) {}
  CountThreshold(const CountThreshold&) = delete;
  CountThreshold& operator=(const CountThreshold&) = delete;

  // The count is at most `most`.
  bool is_open() const noexcept { return count_of(core_.look()) <= most_; }
  // Suspends the fiber (parks an external thread) until the count is at most `most`, or until the
  // limit.
  WaitStatus wait(WaitLimit limit);

  // As those of CountdownCore. link() also returns false if the count has fallen.
  [[nodiscard]] bool link(Waiter& waiter) noexcept;
  [[nodiscard]] bool unlink(Waiter& waiter) noexcept;

  // A done() has replaced a marked state of the core. The core may be gone. Weak: a core is marked
  // only if the program contains this code.
  [[gnu::weak]] static void fell(CountdownCore* core) noexcept;

  // The thresholds of the cores of some addresses, in the order of their waits.
  struct Bucket {
    RawSpinLock lock;
    Plain<CountThreshold*> first{nullptr};
  };
#if defined(JOBS_MODEL)
  // Of the model, which makes one for each execution.
  static inline Bucket* model_bucket = nullptr;
#endif

 private:
  static Bucket& bucket_of(const CountdownCore* core) noexcept;
  // Removes the mark. Called under the lock; the caller passes the result to unmarked() without it.
  static WaitState unmark(CountdownCore& core) noexcept { return core.subtract(kMark); }
  static void unmarked(CountdownCore& core, WaitState before) noexcept {
    if (before.payload() == kMark) core.opened(before);
  }

  CountdownCore& core_;
  const std::uint64_t most_;
  // Guarded by the lock of the bucket.
  Plain<Waiter*> waiter_{nullptr};  // null: not on the list
  Plain<CountThreshold*> next_{nullptr};
};

}  // namespace jobs::inline JOBS_ABI::detail
