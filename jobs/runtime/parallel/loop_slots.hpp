// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LoopSlots: a range of iterations divided among the workers by name, for loops that run again and again. Each worker has a slot
// and takes from its front; who has run out takes from the ends of others. It remembers how much each worker ran.
//
// Nobody is sent to a worker: those that come to the loop find their slot by their index, and the slot of one that does not come
// is emptied by the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "jobs/base/atomic.hpp"
#include "jobs/runtime/worker/worker_context.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace slot_order {
JOBS_ORDER(kTake, relaxed);  // hands out disjoint parts; fork and join order everything else
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

  // Begins a loop of `count` iterations: into shares like those that the workers ran last time, or equal ones; where workers are bound
  // to cores of several kinds, by what those can do. Allocates at the
  // first loop and when it meets a scheduler with more workers. Aborts if another loop uses the slots: `user` is whom to name.
  void begin(const Lane& lane, std::uint64_t count, bool replay, const char* user);
  void end() noexcept;

  std::size_t size() const noexcept { return size_; }
  // The calling worker's slot; a guest has the last one.
  std::size_t home(const Lane& lane) const noexcept;

  // The next part for the worker whose slot is `home`: of its own slot, else of another one; empty when there is no more. `whole`:
  // all that is left of a slot, else a quarter of it.
  Part take(std::size_t home, bool whole) noexcept;
  // So much was run by the worker whose slot is `home`.
  void add_run(std::size_t home, std::uint64_t iterations) noexcept;

 private:
  // Both ends in one word, so that one compare-and-swap takes a part; in units, so that they fit.
  struct alignas(kDestructiveDistance) Slot {
    Atomic<std::uint64_t> ends{0};  // begin in the upper half, end in the lower one
    Atomic<std::uint64_t> run{0};   // units
  };

  Part take_from(Slot& slot, bool front, bool whole) noexcept;

  std::unique_ptr<Slot[]> slots_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t unit_ = 1;  // iterations
  Atomic<bool> in_use_{false};
};

}  // namespace jobs::inline JOBS_ABI::detail
