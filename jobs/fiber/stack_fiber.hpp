// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackFiber: a fiber with a stack, the target of a switch. A FiberPool creates and owns it. Its
// control block lies at the top of its own stack, so a blocked fiber costs one page. The thread of
// a host takes part as an AdoptedFiber. Only the home thread may call these functions.
//
//   idle --acquire()--> runnable --switch_to()--> running --switch_to() another--> suspended
//   suspended ... runnable --switch_to()--> running --entry returns--> idle
#pragma once

#include <cassert>
#include <cstddef>
#include <vector>

#include "jobs/base/annotate.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/context.hpp"
#include "jobs/fiber/fiber_core.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class FiberPool;
class StackFiber;

// The function of a fiber; it runs on the fiber's own stack. It returns the next fiber to run. When
// that fiber runs, this one is idle again and does not run until it is acquired again. An exception
// that leaves the function aborts with a message that names the exception. If the function is
// noexcept, the process terminates with less information.
using FiberEntry = StackFiber* (*)(void* argument);

class StackFiber : public FiberCore {
 public:
  // The stack that an overflow overruns; of size 0 for an adopted thread.
  const Stack& stack() const noexcept { return stack_; }

  // Prefetches the lines that a switch to this fiber accesses: this block and the frames of its
  // wait below. A fiber that has waited for a long time is in no cache.
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

  StackFiber(FiberHost& home_host, FiberPool& pool, Stack stack)
      : FiberCore(&home_host), pool_(&pool), stack_(stack) {}

  template <bool kLastFrames>
  static void switch_fibers(StackFiber& from, StackFiber& to,
                            const ThreadRegisters& registers) noexcept;

  Context context_ = nullptr;          // valid while the fiber is suspended
  StackFiber* switched_to_ = nullptr;  // a fresh fiber finds itself through this pointer
  SavedRegisters registers_;
  FiberEntry entry_ = nullptr;
  void* argument_ = nullptr;
  FiberPool* const pool_ = nullptr;
  StackFiber* next_idle_ = nullptr;
  StackFiber* next_made_ = nullptr;  // list of all fibers of the pool, in no order
  StackFiber* previous_made_ = nullptr;
  const Stack stack_;
  [[no_unique_address]] sanitizer::FiberRecord record_;
};

// The OS thread of a host, seen as one of its fibers. It has no stack from a pool. It runs when the
// host starts.
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
  sanitizer::annotate_release(from.home);  // for which all fibers of a worker count as one thread
  sanitizer::before_switch(from.record_, to.record_, kLastFrames);
  const Arrival arrival = jump(to.context_, &from);
  auto& left = *static_cast<StackFiber*>(arrival.data);
  left.context_ = arrival.fctx;
  raise_float_status(left.context_);
  sanitizer::after_switch(from.record_, left.record_);
  registers.restore(from.registers_);
}

// Suspends the running fiber `from` and resumes `to`; returns when another fiber switches to `from`
// again. Each fiber has its own callee-saved registers, floating-point control words, exception
// state and errno. The function is inline: a function around the jump would return to an address
// that the processor has not predicted. pre: on the home thread of both; `registers` belong to this
// thread; `from` is not `to`.
JOBS_ALWAYS_INLINE void switch_to(StackFiber& from, StackFiber& to,
                                  const ThreadRegisters& registers) noexcept {
  StackFiber::switch_fibers<false>(from, to, registers);
}

}  // namespace jobs::inline JOBS_ABI::detail
