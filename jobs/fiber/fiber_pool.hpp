// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberPool: the fibers of one worker with stacks of one size. Only the thread of its host may call
// it, except live() and idle(). Another thread may construct it.
//
// acquire() takes the fiber that became idle last, because its stack is still in the cache. An
// empty pool grows. Above max_idle idle fibers the pool returns stacks to its StackPool.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/counters.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/stack_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Upper limit of the bytes of a stack above the frame of a fiber's entry: the colour, the control
// block, the bottom frames.
inline constexpr std::size_t kMaxAboveEntry = 3 * 1024;

class FiberPool : public HeapObject<FiberPool> {
 public:
  // Number of ids that a pool takes at a time.
  static constexpr std::uint64_t kIdRange = std::uint64_t{1} << 20;
  // Ids of fibers of pools begin here. Smaller ids belong to explicit Fibers.
  static constexpr std::uint64_t kFirstId = std::uint64_t{1} << 52;
  // Returns the first id of a range that no pool of the process has had: the range ends before the
  // next multiple of kIdRange. Any thread.
  static std::uint64_t take_ids() noexcept;

  // Every acquire() counts as a new fiber. first_id: the first id, not 0; later ids count up to the
  // next multiple of kIdRange, and then through ranges of take_ids().
  // max_idle: at least 1; if more fibers are idle, the pool returns half of their stacks to
  // `stacks`.
  FiberPool(FiberHost& home, StackPool& stacks, std::uint64_t first_id,
            std::size_t max_idle = SIZE_MAX);
  // pre: all its fibers are idle.
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  // Returns an unnamed fiber that runs entry(argument) after the first switch to it. It starts with
  // the default floating-point environment, with errno 0 and with no exception in flight. Throws
  // Error(kNoStack).
  StackFiber& acquire(FiberEntry entry, void* argument);

  // Ensures that the next acquire() does not throw. Throws Error(kNoStack).
  void reserve() {
    if (first_idle_ == nullptr) push_idle(make());
  }

  // Allocates the stack of the first fiber before the thread of the host starts. It does not write
  // to the stack, so the memory will lie near that thread. May be repeated if the thread cannot
  // start. Throws Error(kNoStack), std::bad_alloc.
  void reserve_stack() {
    if (first_stack_.base == nullptr) first_stack_ = stacks_.allocate();
  }

  // Returns the stacks of all but `keep` idle fibers to the StackPool. post: the result is the
  // number of these fibers.
  std::size_t release_idle(std::size_t keep) noexcept;

  // Releases the memory of the idle fibers to the system, except the page that each needs for its
  // start. It skips the `keep` fibers that acquire() would take next.
  void trim(std::size_t keep) noexcept;

  bool has_idle() const noexcept { return first_idle_ != nullptr; }
  std::size_t stack_size() const noexcept { return stacks_.stack_size(); }
  // Visits all fibers that have a stack, including idle ones.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const StackFiber* fiber = first_made_; fiber != nullptr; fiber = fiber->next_made_)
      visit(*fiber);
  }

  // Any thread.
  // Fibers that have a stack, including idle ones.
  std::size_t live() const noexcept { return live_.read(); }
  std::size_t idle() const noexcept { return idle_.read(); }

 private:
  [[noreturn]] static void main(Arrival arrival) noexcept;
  JOBS_COLD StackFiber& acquire_cold(FiberEntry entry, void* argument);
  static StackFiber& run_entry(StackFiber& self) noexcept;

  StackFiber& make();
  void push_idle(StackFiber& fiber) noexcept;

  FiberHost& home_;
  StackPool& stacks_;
  const std::size_t max_idle_;
  std::uint64_t next_id_;  // a multiple of kIdRange: its range is used up
  Stack first_stack_{};    // base is null: the stack is in use, or was never reserved
  StackFiber* first_idle_ = nullptr;
  StackFiber* first_made_ = nullptr;
  SingleWriterCounter live_;
  SingleWriterCounter idle_;
};

}  // namespace jobs::inline JOBS_ABI::detail
