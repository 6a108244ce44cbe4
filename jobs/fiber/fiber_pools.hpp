// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberPools: all fibers of one worker. One pool has the loop fibers, which serve jobs. Each other
// stack size that a Fiber has requested has a pool of its own. Only the thread of its host may call
// it, except live(), idle() and in_use().
//
// If a pool cannot allocate a stack, the idle stacks of the other pools are released first.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "jobs/base/atomic.hpp"
#include "jobs/fiber/fiber_pool.hpp"
#include "jobs/fiber/stack_allocator.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberPools {
 public:
  // max_idle: of each FiberPool.
  FiberPools(FiberHost& home, StackAllocator& stacks, std::size_t max_idle);

  // Returns whether a fiber of that class runs on the stack of the loop that takes it. A stack of
  // its own would gain nothing.
  bool runs_on_loop(StackClass stack_class) const noexcept {
    if (stack_class == kLoopStack) [[likely]]
      return true;
    const std::size_t size = size_of_class(stack_class);
    return size <= loops_.stack_size() && size > loops_.stack_size() / 2;
  }
  // Returns whether a fiber of that class could run on the stack of a loop if no stack of its own
  // is left.
  bool fits_on_loop(StackClass stack_class) const noexcept {
    return stack_class == kLoopStack || size_of_class(stack_class) <= loops_.stack_size();
  }

  // The pool of the loop fibers. Callers of its acquire() have reserved a fiber before.
  FiberPool& loops() noexcept { return loops_; }
  // Ensures that the next acquire() of a loop fiber does not throw. Throws Error(kNoStack).
  void reserve_loop() {
    if (!loops_.has_idle()) [[unlikely]]
      make_loop();
  }
  // Returns the pool of a class; creates it at the first use. Throws Error(kNoStack),
  // std::bad_alloc.
  FiberPool& of(StackClass stack_class);
  // Takes a fiber from one of these pools. Throws Error(kNoStack).
  StackFiber& acquire(FiberPool& pool, FiberEntry entry, void* argument);

  // Releases the memory of all idle stacks to the system, except for the `except` most recently
  // used ones per size.
  void trim(std::size_t keep) noexcept;
  // Releases all fibers, so that another thread may become the host. pre: all fibers are idle.
  void release_all() noexcept;
  // Visits all fibers that have a stack, including idle ones.
  void for_each(const std::function<void(const StackFiber&)>& visit) const;

  // Any thread.
  std::size_t live() const noexcept;
  std::size_t idle() const noexcept;
  // Fibers that run, are ready or wait.
  JOBS_EXPORT std::size_t in_use() const noexcept;

 private:
  // The worker creates the pool at the first use. Other threads read the figures of the pool.
  struct ClassPool {
    std::unique_ptr<FiberPool> owner;
    Atomic<FiberPool*> published{nullptr};
  };

  void make_loop();
  bool release_idle(const FiberPool& except) noexcept;
  template <class Visit>
  void for_each_pool(Visit visit) const;

  FiberHost& home_;
  StackAllocator& stacks_;
  const std::size_t max_idle_;
  FiberPool loops_;
  std::array<ClassPool, kStackClasses> class_pools_;
};

}  // namespace jobs::inline JOBS_ABI::detail
