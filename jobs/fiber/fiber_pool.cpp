// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// FiberPool: creation and reuse of fibers, and the bottom frame of every fiber.
#include "jobs/fiber/fiber_pool.hpp"

#include <atomic>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "jobs/base/message.hpp"
#include "jobs/fiber/current.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Stacks lie a multiple of the page size apart. Without an offset, their busiest lines would
// compete for the same few sets of the L1 cache. Therefore the control block, and the frames below
// it, start at one of these distances from the top. The first page still has 1.5 KiB for the block
// and the first frames.
constexpr std::size_t kColourStep = 128;
constexpr std::size_t kColours = 20;
// Including the record of the sanitizers.
constexpr std::size_t kMaxBlockSize = 256 + (sizeof(sanitizer::FiberRecord) > 1 ? 64 : 0);

std::byte* control_block_address(Stack stack, std::size_t colour) noexcept {
  static_assert(sizeof(StackFiber) <= kMaxBlockSize && alignof(StackFiber) <= 64);
  static_assert((kColours - 1) * kColourStep + kMaxBlockSize < kMaxAboveEntry);
  return stack.top() - (colour % kColours) * kColourStep - (sizeof(StackFiber) + 63) / 64 * 64;
}

// For a catch block. It is a function of its own, because its buffer would otherwise lie on every
// stack.
[[noreturn]] JOBS_COLD void report_exception(const StackFiber& fiber) noexcept {
  // catch (...) also catches the end of the thread, the only unwinding that is not a C++ exception.
  if (std::current_exception() == nullptr) {
    contract_violation("Fiber", &fiber, "pthread_exit() or pthread_cancel() ended its thread");
  }
  char line[kLongestText + 40] = "an exception left its entry";
  char text[kLongestText];
  try {
    throw;
  } catch (const std::exception& error) {
    const std::size_t length = escape(error.what(), text, Quoting::kPlain);
    std::snprintf(line, sizeof line, "an exception left its entry: %.*s", static_cast<int>(length),
                  text);
  } catch (...) {
  }
  contract_violation("Fiber", &fiber, line);
}

}  // namespace

FiberPool::FiberPool(FiberHost& home, StackPool& stacks, std::uint64_t first_id,
                     std::size_t max_idle)
    : home_(home), stacks_(stacks), max_idle_(max_idle), next_id_(first_id) {
  check_context_layout();
}

JOBS_COLD FiberPool::~FiberPool() {
  if (idle() != live())
    contract_violation("FiberPool", this, "destroyed while fibers of it are in use");
  release_idle(0);
  if (first_stack_.base != nullptr) stacks_.release(first_stack_);
}

std::uint64_t FiberPool::take_ids() noexcept {
  // 2^44 ranges: a process that takes one each microsecond reaches the last one after 200 days.
  static constinit std::atomic<std::uint64_t> next{kFirstId / kIdRange};
  // Relaxed: the ids only have to be unique. 0 of a range would mean that the range is used up.
  return next.fetch_add(1, std::memory_order_relaxed) * kIdRange + 1;
}

StackFiber& FiberPool::acquire(FiberEntry entry, void* argument) {
  StackFiber* const fiber = first_idle_;
  // A tail call, so that the fast path saves no registers.
  if (fiber == nullptr || next_id_ % kIdRange == 0) [[unlikely]]
    return acquire_cold(entry, argument);
  first_idle_ = fiber->next_idle_;
  idle_.subtract(1);
  fiber->entry_ = entry;
  fiber->argument_ = argument;
  fiber->id = next_id_++;
  fiber->name = nullptr;
  fiber->control = nullptr;
  fiber->fiber_signals = nullptr;
  fiber->interrupts = 0;
  fiber->limit = os::kNever;
  fiber->must_wait = false;
  fiber->signals = 0;
  fiber->suspended = FiberCore::kAwake;
  fiber->registers_ = {};
  return *fiber;
}

// Provides an idle fiber and an id first.
StackFiber& FiberPool::acquire_cold(FiberEntry entry, void* argument) {
  reserve();
  if (next_id_ % kIdRange == 0) next_id_ = take_ids();
  return acquire(entry, argument);
}

JOBS_COLD StackFiber& FiberPool::make() {
  const Stack stack =
      first_stack_.base != nullptr ? std::exchange(first_stack_, {}) : stacks_.allocate();
  std::byte* block = control_block_address(stack, live());
  auto* fiber = new (block) StackFiber(home_, *this, stack);
  fiber->context_ =
      make_context(block, static_cast<std::size_t>(block - stack.base), &FiberPool::main);
  sanitizer::fiber_created(fiber->record_, stack.base, stack.size);
  fiber->next_made_ = first_made_;
  if (first_made_ != nullptr) first_made_->previous_made_ = fiber;
  first_made_ = fiber;
  live_.add(1);
  return *fiber;
}

void FiberPool::push_idle(StackFiber& fiber) noexcept {
  fiber.next_idle_ = first_idle_;
  first_idle_ = &fiber;
  idle_.add(1);
}

JOBS_COLD std::size_t FiberPool::release_idle(std::size_t keep) noexcept {
  StackFiber** link = &first_idle_;
  for (; keep > 0 && *link != nullptr; --keep) link = &(*link)->next_idle_;
  StackFiber* fiber = std::exchange(*link, nullptr);
  std::size_t count = 0;
  for (; fiber != nullptr; ++count) {
    StackFiber* const next = fiber->next_idle_;
    (fiber->previous_made_ != nullptr ? fiber->previous_made_->next_made_ : first_made_) =
        fiber->next_made_;
    if (fiber->next_made_ != nullptr) fiber->next_made_->previous_made_ = fiber->previous_made_;
    sanitizer::fiber_destroyed(fiber->record_);
    stacks_.release(fiber->stack_);  // the control block lies on it and needs no destructor
    fiber = next;
  }
  idle_.subtract(count);
  live_.subtract(count);
  return count;
}

void FiberPool::trim(std::size_t keep) noexcept {
  const std::size_t page = os::page_size();
  for (StackFiber* fiber = first_idle_; fiber != nullptr; fiber = fiber->next_idle_) {
    if (keep > 0) {
      --keep;
      continue;
    }
    // The memory that an idle fiber needs begins at its context.
    const auto used =
        static_cast<std::size_t>(static_cast<std::byte*>(fiber->context_) - fiber->stack_.base);
    os::discard_pages(fiber->stack_.base, used / page * page);
  }
}

// The bottom frame of every fiber: runs one entry after another and is idle in between. It never
// ends; the pool simply releases its stack.
JOBS_REAL_FRAME void FiberPool::main(Arrival arrival) noexcept {
  auto& left = *static_cast<StackFiber*>(arrival.data);
  left.context_ = arrival.fctx;
  raise_float_status(left.context_);
  StackFiber& self = *left.switched_to_;
  sanitizer::after_switch(self.record_, left.record_);
  sanitizer::annotate_acquire(self.stack_.base);
  const ThreadRegisters registers;
  registers.restore(self.registers_);
  for (;;) {
    StackFiber& next = run_entry(self);
    FiberPool& pool = *self.pool_;
    // Inserted as the first of the list: release_idle() keeps it, because it still runs on its
    // stack.
    pool.push_idle(self);
    if (pool.idle() > pool.max_idle_) [[unlikely]]
      pool.release_idle(pool.max_idle_ / 2 + 1);
    StackFiber::switch_fibers<true>(self, next, registers);
  }
}

// Stops every unwinding. No frame below could catch an exception. If a worker lost its thread, all
// fibers pinned to it would wait for ever.
JOBS_NOINLINE StackFiber& FiberPool::run_entry(StackFiber& self) noexcept {
  try {
    return *self.entry_(self.argument_);
  } catch (...) {
    report_exception(self);
  }
}

}  // namespace jobs::inline JOBS_ABI::detail
