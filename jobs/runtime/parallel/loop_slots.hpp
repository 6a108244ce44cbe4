// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopSlots: divides the iterations of a repeated loop among the workers, and remembers the number
// of iterations that each worker ran.
//
// Owner: an AffinityPartition or StaticPartition of the user. The call's thread calls begin() and
// end(). Each thread of the loop calls home(), take() and add_run() between the two.
//
// Protocol. Each worker has a slot, a contiguous range.
//
//   step 1: begin() divides the range into slots
//   step 2: a worker that reaches the loop finds its slot by its index, and takes from the front
//   step 3: a worker with an empty slot takes from the ends of other slots
//   step 4: each worker adds the number of iterations that it ran, for the next begin()
//
// The loop sends no worker a message. If a worker does not reach the loop, the other workers empty
// its slot. Affinity thus needs no targeted wake-up, and no loop waits for a worker that is busy
// elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "jobs/base/atomic.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace slot_order {
JOBS_ORDER(kTake, relaxed);  // yields disjoint parts; fork and join order all other data
}  // namespace slot_order

class JOBS_EXPORT LoopSlots {
 public:
  struct Part {
    std::uint64_t begin;
    std::uint64_t end;
    bool is_empty() const noexcept { return begin >= end; }
  };

  LoopSlots() = default;
  LoopSlots(const LoopSlots&) = delete;
  LoopSlots& operator=(const LoopSlots&) = delete;

  // Divides `count` iterations for a new loop. If `replay` is set and the number of workers is
  // unchanged, each share is proportional to the iterations that the worker ran last time.
  // Otherwise the shares are equal, or proportional to the capacities of the cores if workers are
  // bound to cores of several kinds. Allocates for the first loop, and for a scheduler with more
  // workers. Aborts with a message that names `user` if another loop uses the slots concurrently.
  void begin(const WorkerContext& context, std::uint64_t count, bool replay, const char* user);
  void end() noexcept;

  std::size_t size() const noexcept { return size_; }
  // Returns the slot index of the calling worker; an external participant uses the last slot.
  std::size_t home(const WorkerContext& context) const noexcept;

  // Returns the next part for the worker with slot `home`: from its own slot, otherwise from
  // another slot. An empty part ends the loop for this worker. `whole`: takes the remaining range
  // of a slot instead of a quarter of that range.
  Part take(std::size_t home, bool whole) noexcept;
  // Adds to the number of iterations that the worker with slot `home` ran.
  void add_run(std::size_t home, std::uint64_t iterations) noexcept;

 private:
  // Both ends lie in one word, and one compare-exchange takes a part. They count units of
  // several iterations, so that both fit.
  struct alignas(kDestructiveDistance) Slot {
    Atomic<std::uint64_t> ends{0};  // begin in the upper half, end in the lower half
    Atomic<std::uint64_t> run{0};   // in units
  };

  Part take_from(Slot& slot, bool front, bool whole) noexcept;

  std::unique_ptr<Slot[]> slots_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t unit_ = 1;  // in iterations
  Atomic<bool> in_use_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
