// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberPools: all fibers of one worker: those that serve jobs, called loops, and a pool for each other size of stack that Fibers
// have asked for. A size that has no stack left gets what the others have idle. For the thread of its host, but for the figures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_pool.hpp"
#include "jobs/fiber/stack_depot.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberPools {
 public:
  // max_idle: as of each FiberPool.
  FiberPools(FiberHost& home, StackDepot& stacks, std::size_t max_idle);

  // Whether a fiber of that class runs on the stack of the loop that takes it: nothing is gained by another one.
  bool runs_on_loop(StackClass stack_class) const noexcept {
    if (stack_class == kLoopStack) [[likely]]
      return true;
    const std::size_t size = size_of_class(stack_class);
    return size <= loops_.stack_size() && size > loops_.stack_size() / 2;
  }
  // Whether it could, if there is no stack of its own.
  bool fits_on_loop(StackClass stack_class) const noexcept {
    return stack_class == kLoopStack || size_of_class(stack_class) <= loops_.stack_size();
  }

  // Those of loops. Its acquire() is for who has reserved one.
  FiberPool& loops() noexcept { return loops_; }
  // Makes sure that the next acquire() of a loop does not throw. Throws Error(kNoStack) itself.
  void reserve_loop() {
    if (!loops_.has_idle()) [[unlikely]]
      make_loop();
  }
  // Throws Error(kNoStack), std::bad_alloc.
  FiberPool& of(StackClass stack_class);
  // Of one of these pools. Throws Error(kNoStack).
  StackFiber& acquire(FiberPool& pool, FiberEntry entry, void* argument);

  // All idle fibers but so many of each size give the memory of their stacks back.
  void trim(std::size_t but) noexcept;
  // All that have a stack, idle ones included.
  void for_each(const std::function<void(const StackFiber&)>& visit) const;

  // Any thread may ask.
  std::size_t live() const noexcept;
  std::size_t idle() const noexcept;

 private:
  // Made at the first use, by the worker; others look at its figures.
  struct ClassPool {
    std::unique_ptr<FiberPool> owner;
    Atomic<FiberPool*> shown{nullptr};
  };

  void make_loop();
  bool give_back_idle(const FiberPool& but) noexcept;
  template <class Visit>
  void for_each_pool(Visit visit) const;

  FiberHost& home_;
  StackDepot& stacks_;
  const std::size_t max_idle_;
  FiberPool loops_;
  std::array<ClassPool, kStackClasses> class_pools_;
};

}  // namespace jobs::inline JOBS_ABI::detail
