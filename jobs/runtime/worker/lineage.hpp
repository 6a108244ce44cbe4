// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Lineage: the wait of an external participant that the current job of a worker serves. The
// participant may then steal from the deque of this worker: each job there belongs to the wait.
//
// Owner: the worker. It calls set(); any thread calls wait().
//
// Protocol.
//   step 1  A worker steals a job that serves a wait, while its own deque is empty. It sets the
//           wait, and the epoch that it has while it runs this job.
//   step 2  The epoch of the worker changes when it starts another job, switches to another fiber,
//           or spawns a detached job.
//   step 3  A participant that finds its own wait, and the same epoch, steals a job.
//   step 4  If the epoch is still the same, the job serves the wait. Otherwise the participant
//           submits the job again, for the workers.
//
// Proof. While the epoch is constant, the worker runs one job on one fiber. That job has pushed
// each job in the deque, and waits for each of them. The theft of a job acquires its push, and with
// it the lineage and the epoch at the time of the push. So step 4 reads these values or later ones,
// and later epochs are greater.
#pragma once

#include <cstdint>

#include "jobs/base/atomic.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace lineage_order {
// The theft between the two checks orders the second one: it acquires the push of the job, which
// follows the lineage.
JOBS_ORDER(kLineage, relaxed);
}  // namespace lineage_order

class Lineage {
 public:
  // `wait`: the object of the wait; null: the job serves no wait of a participant. `epoch`: that of
  // the worker while it runs the job.
  void set(const void* wait, std::uint64_t epoch) noexcept {
    wait_.store(wait, lineage_order::kLineage);
    epoch_.store(epoch, lineage_order::kLineage);
  }
  bool is_set() const noexcept { return wait_.load(lineage_order::kLineage) != nullptr; }
  // Returns the wait that was set for this epoch; otherwise null.
  const void* wait(std::uint64_t epoch) const noexcept {
    const bool is_current = epoch_.load(lineage_order::kLineage) == epoch;
    return is_current ? wait_.load(lineage_order::kLineage) : nullptr;
  }

 private:
  Atomic<const void*> wait_{nullptr};
  Atomic<std::uint64_t> epoch_{0};
};

}  // namespace jobs::inline JOBS_ABI::detail
