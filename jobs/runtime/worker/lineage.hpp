// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Lineage: the wait of an external participant that the current job of a worker serves. The
// participant may then steal from the deque of this worker: each job there belongs to the wait.
//
// Owner: the worker. It calls set() and start(); any thread calls wait().
//
// Protocol.
//   step 1  A worker steals a job that serves a wait, or starts one, while its own deque is empty.
//           It sets the wait, and the epoch that it has while it runs this job.
//   step 2  The epoch of the worker changes when it starts another job, switches to another fiber,
//           or spawns a detached job.
//   step 3  If it starts another job that serves the same wait, and the epoch has not changed
//           otherwise, it sets the new epoch, although the deque has jobs.
//   step 4  A participant that finds its own wait, and the same epoch, steals a job.
//   step 5  If wait and epoch are still those of step 4, the job serves the wait. Otherwise the
//           participant submits the job again, for the workers.
//
// Proof. While the epoch is constant, the worker runs one job on one fiber, and only this job
// pushes to the deque. The job is part of the work that the participant waits for, and so is all
// that it pushes. After step 1, each job in the deque serves the wait. Step 3 keeps this: since the
// last step 1 or 3, only a job that serves the wait has pushed. The theft of a job acquires its
// push, and with it the epoch at the time of the push. So step 5 reads this epoch or a later one.
// Epochs only grow: if step 5 reads that of step 4, the job was pushed in it or earlier, and was in
// the deque when the epoch began or came later.
//
// Wait and epoch are two words, so a reader may find a later wait beside an epoch. It does no harm:
// a worker that sets a wait has set the same one before, or its deque is empty.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace lineage_order {
// A thread that reads an epoch also reads its wait, or a later one.
JOBS_ORDER(kSetEpoch, release);  // partner: kGetEpoch
JOBS_ORDER(kGetEpoch, acquire);  // partner: kSetEpoch
// The theft between the two checks of a participant orders the second one: it acquires the push of
// the job, which follows the lineage.
JOBS_ORDER(kWait, relaxed);
}  // namespace lineage_order

class Lineage {
 public:
  // `wait`: the object of the wait; null: the job serves no wait of a participant. `epoch`: that of
  // the worker while it runs the job.
  void set(const void* wait, std::uint64_t epoch) noexcept {
    wait_.store(wait, lineage_order::kWait);
    epoch_.store(epoch, lineage_order::kSetEpoch);
  }
  // Steps 1 and 3, for the job that begins the epoch. `is_alone`: the deque is empty.
  void start(const void* wait, std::uint64_t epoch, bool is_alone) noexcept {
    const bool continues = this->wait(epoch - 1) == wait;
    set(is_alone || continues ? wait : nullptr, epoch);
  }
  bool is_set() const noexcept { return wait_.load(lineage_order::kWait) != nullptr; }
  // Returns the wait that was set for this epoch; otherwise null.
  const void* wait(std::uint64_t epoch) const noexcept {
    const bool is_current = epoch_.load(lineage_order::kGetEpoch) == epoch;
    return is_current ? wait_.load(lineage_order::kWait) : nullptr;
  }

 private:
  Atomic<const void*> wait_{nullptr};
  Atomic<std::uint64_t> epoch_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
