// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberPools: creation of the pools, and the exchange of idle stacks between them.
#include "jobs/fiber/fiber_pools.hpp"

#include <algorithm>

#include "jobs/base/annotate.hpp"
#include "jobs/error.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace pools_order {
JOBS_ORDER(kPublishPool,
           release);            // [fiber_pools.1] publishes the complete pool; partner: kSeePool
JOBS_ORDER(kSeePool, acquire);  // [fiber_pools.1] partner: kPublishPool
}  // namespace pools_order

FiberPools::FiberPools(FiberHost& home, StackAllocator& stacks, std::size_t max_idle)
    : home_(home),
      stacks_(stacks),
      max_idle_(max_idle),
      loops_(home, stacks.loops(), FiberPool::take_ids(), max_idle) {}

FiberPool& FiberPools::of(StackClass stack_class) {
  if (runs_on_loop(stack_class)) return loops_;
  ClassPool& pool = class_pools_[stack_class];
  if (!pool.owner) {
    [[maybe_unused]] const sanitizer::IgnoreWrites made;  // all fibers of the host access it
    pool.owner = std::make_unique<FiberPool>(home_, stacks_.of(stack_class), FiberPool::take_ids(),
                                             max_idle_);
    pool.published.store(pool.owner.get(), pools_order::kPublishPool);
  }
  return *pool.owner;
}

StackFiber& FiberPools::acquire(FiberPool& pool, FiberEntry entry, void* argument) {
  try {
    return pool.acquire(entry, argument);
  } catch (...) {
    if (!release_idle(pool)) throw;
    return pool.acquire(entry, argument);
  }
}

JOBS_COLD void FiberPools::make_loop() {
  try {
    loops_.reserve();
  } catch (...) {
    if (!release_idle(loops_)) throw;
    loops_.reserve();
  }
}

// Releases the idle stacks of all pools except `except`, so that `except` can allocate one. Returns
// false if no stack was idle.
JOBS_COLD bool FiberPools::release_idle(const FiberPool& except) noexcept {
  std::size_t count = 0;
  if (&except != &loops_)
    count += loops_.release_idle(1);  // keeps one for the worker to continue on
  for (const ClassPool& pool : class_pools_) {
    if (pool.owner && pool.owner.get() != &except) count += pool.owner->release_idle(0);
  }
  return count > 0;
}

void FiberPools::release_all() noexcept {
  loops_.release_idle(0);
  release_idle(loops_);
}

void FiberPools::trim(std::size_t keep) noexcept {
  loops_.trim(keep);
  for (const ClassPool& pool : class_pools_) {
    if (pool.owner) pool.owner->trim(keep);
  }
}

template <class Visit>
void FiberPools::for_each_pool(Visit visit) const {
  // One call, which is inlined: a second one would make a function of its own.
  const FiberPool* pool = &loops_;
  for (std::size_t next = 0;; ++next) {
    if (pool != nullptr) visit(*pool);
    if (next == class_pools_.size()) return;
    pool = class_pools_[next].published.load(pools_order::kSeePool);
  }
}

void FiberPools::for_each(const std::function<void(const StackFiber&)>& visit) const {
  for_each_pool([&](const FiberPool& pool) { pool.for_each(visit); });
}

std::size_t FiberPools::live() const noexcept {
  std::size_t total = 0;
  for_each_pool([&](const FiberPool& pool) { total += pool.live(); });
  return total;
}

std::size_t FiberPools::idle() const noexcept {
  std::size_t total = 0;
  for_each_pool([&](const FiberPool& pool) { total += pool.idle(); });
  return total;
}

std::size_t FiberPools::in_use() const noexcept {
  std::size_t total = 0;
  for_each_pool([&](const FiberPool& pool) {
    const std::size_t idle = pool.idle();
    total += std::max(pool.live(), idle) - idle;  // The owner may release fibers in between.
  });
  return total;
}

}  // namespace jobs::inline JOBS_ABI::detail
