// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberPool: the fibers of one worker with stacks of one size. The one that became idle last is acquired first, as its stack is still
// in the cache. It grows when it is empty, and gives back what it has too many of. For the thread of its host only, which need not
// have made it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/tally.hpp"
#include "jobs/fiber/fiber_host.hpp"
#include "jobs/fiber/stack_fiber.hpp"

namespace jobs::inline JOBS_ABI::detail {

// Bytes of a stack above the frame of a fiber's entry, at most: the colour, the control block, the bottom frames.
inline constexpr std::size_t kMostAboveEntry = 3 * 1024;

class FiberPool {
 public:
  // Every acquire() counts as a new fiber: ids run up from first_id, which is not 0. max_idle, at least 1: when more are idle, half
  // of them go, and their stacks to where they came from.
  FiberPool(FiberHost& home, StackPool& stacks, std::uint64_t first_id, std::size_t max_idle = SIZE_MAX);
  // pre: all its fibers are idle.
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  // A fiber that, once switched to, runs entry(argument) in the default floating-point environment, with errno 0 and no
  // exception in sight. Unnamed. Throws Error(kNoStack).
  StackFiber& acquire(FiberEntry entry, void* argument);

  // Makes sure that the next acquire() does not throw. Throws Error(kNoStack) itself.
  void reserve() {
    if (first_idle_ == nullptr) push_idle(make());
  }

  // Before its thread has started: takes the stack of the first fiber, and writes nothing to it, so that its memory will lie near that
  // thread. Throws Error(kNoStack), std::bad_alloc.
  void reserve_stack() { first_stack_ = stacks_.allocate(); }

  // All but so many idle fibers go, and their stacks to where they came from. post: how many that were.
  std::size_t give_back(std::size_t but) noexcept;

  // Gives the memory of all idle fibers back but the page that each needs to start from; not that of the `warm` ones that would
  // be acquired next.
  void trim(std::size_t warm) noexcept;

  bool has_idle() const noexcept { return first_idle_ != nullptr; }
  std::size_t stack_size() const noexcept { return stacks_.stack_size(); }
  // Visits all fibers that have a stack, idle ones included.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const StackFiber* fiber = first_made_; fiber != nullptr; fiber = fiber->next_made_) visit(*fiber);
  }

  // Any thread may ask.
  std::size_t live() const noexcept { return live_.read(); }  // fibers that have a stack, idle ones included
  std::size_t idle() const noexcept { return idle_.read(); }

 private:
  [[noreturn]] static void main(Arrival arrival) noexcept;
  static StackFiber& run_entry(StackFiber& self) noexcept;

  StackFiber& make();
  void push_idle(StackFiber& fiber) noexcept;

  FiberHost& home_;
  StackPool& stacks_;
  const std::size_t max_idle_;
  std::uint64_t next_id_;
  Stack first_stack_{};  // of none: it has been used, or was never reserved
  StackFiber* first_idle_ = nullptr;
  StackFiber* first_made_ = nullptr;
  Tally live_;
  Tally idle_;
};

}  // namespace jobs::inline JOBS_ABI::detail
