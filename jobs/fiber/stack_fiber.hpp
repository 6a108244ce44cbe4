// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackFiber: what can be switched to. Made and kept by a FiberPool, with its control block at the top of its own stack, so that
// a blocked fiber costs one page. The thread of a host takes part as an AdoptedFiber. For the home thread only.
//
//   idle --acquire()--> runnable --switch_to()--> running --switch_to() another--> runnable ... running --entry returns--> idle
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

#include "jobs/base/hand_over.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberPool;
class StackFiber;

// Runs on the fiber's own stack. Returns the fiber to go on with; by the time that runs, this one is idle again, and does not
// run until it is acquired again. An exception that leaves it aborts with a line that names it, unless it is marked noexcept:
// then the process terminates with less to read.
using FiberEntry = StackFiber* (*)(void* argument);

class StackFiber : public FiberCore {
 public:
  // Where an overflow of it ends up; of size 0 for an adopted thread.
  const Stack& stack() const noexcept { return stack_; }

  // What a switch to it will touch, this block and the frames of its wait below: a fiber that has waited for long is in no cache.
  void prefetch() const noexcept {
    constexpr std::ptrdiff_t kLine = 64, kFrames = 448, kBlock = 256;
    const auto* const block = reinterpret_cast<const std::byte*>(this);
    for (std::ptrdiff_t at = -kFrames; at < kBlock; at += kLine) __builtin_prefetch(block + at);
  }

 protected:
  explicit StackFiber(FiberHost& home_host) : FiberCore(&home_host) {}
  ~StackFiber() = default;

 private:
  friend class FiberPool;
  friend std::vector<const void*> frames_of(const StackFiber&);
  friend void switch_to(StackFiber&, StackFiber&, const ThreadRegisters&) noexcept;

  StackFiber(FiberHost& home_host, FiberPool& pool, Stack stack) : FiberCore(&home_host), pool_(&pool), stack_(stack) {}

  template <bool kLastFrames>
  static void switch_fibers(StackFiber& from, StackFiber& to, const ThreadRegisters& registers) noexcept;

  Context context_ = nullptr;          // valid while it does not run
  StackFiber* switched_to_ = nullptr;  // tells a fresh fiber who it is
  SavedRegisters registers_;
  FiberEntry entry_ = nullptr;
  void* argument_ = nullptr;
  FiberPool* const pool_ = nullptr;
  StackFiber* next_idle_ = nullptr;
  StackFiber* next_made_ = nullptr;  // of all of the pool, in no order
  StackFiber* previous_made_ = nullptr;
  const Stack stack_;
  [[no_unique_address]] sanitizer::FiberRecord record_;
};

// The OS thread of a host, seen as one of its fibers. It has no stack of ours. Runs when first left.
class AdoptedFiber : public StackFiber {
 public:
  explicit AdoptedFiber(FiberHost& home_host) : StackFiber(home_host) {}
};

template <bool kLastFrames>
JOBS_ALWAYS_INLINE void StackFiber::switch_fibers(StackFiber& from, StackFiber& to,
                                                  const ThreadRegisters& registers) noexcept {
  assert(from.home == to.home && &from != &to);
  registers.save(from.registers_);
  from.switched_to_ = &to;
  sanitizer::hand_over(from.home);  // to whom all fibers of a worker count as one
  sanitizer::leave(from.record_, to.record_, kLastFrames);
  const Arrival arrival = jump(to.context_, &from);
  auto& left = *static_cast<StackFiber*>(arrival.data);
  left.context_ = arrival.fctx;
  raise_float_status(left.context_);
  sanitizer::arrive(from.record_, left.record_);
  registers.restore(from.registers_);
}

// Leaves the running fiber `from` for `to`; returns when something switches to `from` again. Each has its own callee-saved
// registers, floating-point control words, exception state and errno. Inline: a function around the jump would return to where
// the processor does not expect it. pre: on the home thread of both, whose registers these are; `from` is not `to`.
JOBS_ALWAYS_INLINE void switch_to(StackFiber& from, StackFiber& to, const ThreadRegisters& registers) noexcept {
  StackFiber::switch_fibers<false>(from, to, registers);
}

}  // namespace jobs::inline JOBS_ABI::detail
