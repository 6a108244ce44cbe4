// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackPool: stacks of one size, for all workers of a scheduler. Any thread may call it. It is the
// slow path: ended fibers keep their stacks in the FiberPool of their worker, which returns excess
// stacks to this pool.
//
// Stacks are cut from slabs of address space, which costs no memory until a page is touched. A
// guard below each stack turns an overflow into a fault. The guard catches frames up to its own
// size. The compiler must probe larger frames (-fstack-clash-protection).
#pragma once

#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/heap.hpp"
#include "jobs/base/heap_vector.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/fiber/stack_class.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct Stack {
  std::byte* base = nullptr;  // lowest byte; the guard ends here
  std::size_t size = 0;

  std::byte* top() const noexcept { return base + size; }
};

// Limits the number of stacks that the pools of one scheduler have in use. Any thread.
class StackLimit {
 public:
  // max: 0 means no limit but that of the machine.
  explicit StackLimit(std::size_t max) noexcept : max_(max) {}

  // Counts one more stack. Returns false if the limit is reached.
  [[nodiscard]] bool try_acquire() noexcept {
    // A number that publishes no other data.
    std::size_t now = in_use_.load(std::memory_order_relaxed);
    do {
      if (max_ != 0 && now >= max_) return false;
    } while (!in_use_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed,
                                            std::memory_order_relaxed));
    return true;
  }
  void release() noexcept { in_use_.fetch_sub(1, std::memory_order_relaxed); }

  std::size_t max() const noexcept { return max_; }
  std::size_t in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }

 private:
  const std::size_t max_;
  Atomic<std::size_t> in_use_{0};
};

class StackPool : public HeapObject<StackPool> {
 public:
  // stack_size: bytes, rounded up to whole pages. trims: returned stacks release their memory at
  // once. node: memory node of the stacks. Throws Error(kBadArgument).
  StackPool(std::size_t stack_size, StackLimit& limit, os::GuardKind guard_kind, bool trims = false,
            os::Node node = os::kAnyNode);
  // A pool with a limit of its own.
  StackPool(std::size_t stack_size, std::size_t max_stacks);
  // pre: every stack has been returned.
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // Returns a stack of unspecified content. Throws Error(kNoStack), which names the limit that was
  // met and the setting to raise.
  Stack allocate();
  void release(Stack stack) noexcept;
  // Prepares stacks until at least `stacks` are ready for allocate(), with their first page in
  // memory if populates_ is set. They do not count for the limit. Throws Error(kNoStack),
  // std::bad_alloc; stacks that are prepared by then stay.
  void prewarm(std::size_t stacks);
  // Releases the memory of the returned stacks to the system, by one system call per run of
  // neighbours, and that of the stacks that are prepared in advance, by one more.
  void trim() noexcept;

  std::size_t stack_size() const noexcept { return stack_size_; }
  std::size_t in_use() const;
  // The highest byte of each of the first stacks, at most `max`. A fiber touches this page first
  // and keeps it.
  std::vector<const void*> tops(std::size_t max) const;

 private:
  struct Slab {
    std::byte* base;
    std::size_t stacks;
  };

  std::byte* take();
  // `ahead`: at least so many stacks will be carved next, this one included.
  std::byte* carve_stack(std::size_t ahead = 1);
  void prepare_stacks(std::size_t ahead);
  void reserve_slab();
  // Throws Error(kNoStack).
  [[noreturn]] static void refuse(std::size_t in_use, std::string_view reason);
  [[noreturn]] void refuse_mapping() const;

  const std::size_t stack_size_;
  const std::size_t stride_;  // distance between neighbouring stacks
  const os::GuardKind guard_kind_;
  const bool trims_;
  const os::Node node_;
  const bool populates_;  // another thread than the fiber's may touch the first pages of a stack
  StackLimit own_limit_;
  StackLimit& limit_;

  mutable ThreadMutex mutex_;
  std::size_t in_use_ = 0;
  std::size_t carved_ = 0;    // number of stacks cut so far
  std::size_t prepared_ = 0;  // number of stacks that have their guards; includes those cut
  std::size_t capacity_ = 0;  // number of stacks of all slabs; the last ones may be unprepared
  HeapVector<Slab> slabs_;
  HeapVector<std::byte*> returned_;  // bases, last returned last; has room for all stacks
  // Of all cut stacks if a tool needs them (sanitizer::stack_registered). Empty in other programs.
  std::vector<unsigned> registered_;
};

}  // namespace jobs::inline JOBS_ABI::detail
