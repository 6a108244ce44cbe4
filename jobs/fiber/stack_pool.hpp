// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackPool: stacks of one size, for all workers of a scheduler. They are cut from slabs, in address space that costs nothing until
// a page is touched; below each lies a guard that turns an overflow into a fault. Any thread may call it. It is the slow path:
// finished fibers keep their stack and wait in the FiberPool of their worker, which gives back what it has too many of.
// The guard catches frames up to its own size; larger ones must be probed by the compiler (-fstack-clash-protection).
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "jobs/base/atomic.hpp"
#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"
#include "jobs/base/thread.hpp"
#include "jobs/fiber/stack_class.hpp"

namespace jobs::inline JOBS_ABI::detail {

struct Stack {
  std::byte* base = nullptr;  // lowest byte; the guard ends here
  std::size_t size = 0;

  std::byte* top() const noexcept { return base + size; }
};

// How many stacks the pools of one scheduler may have handed out at a time.
class StackLimit {
 public:
  // 0: no limit but the machine's.
  explicit StackLimit(std::size_t max) noexcept : max_(max) {}

  // post: false: it is reached.
  [[nodiscard]] bool take() noexcept {
    std::size_t now = in_use_.load(std::memory_order_relaxed);  // a number that stands for itself
    do {
      if (max_ != 0 && now >= max_) return false;
    } while (!in_use_.compare_exchange_weak(now, now + 1, std::memory_order_relaxed));
    return true;
  }
  void give_back() noexcept { in_use_.fetch_sub(1, std::memory_order_relaxed); }

  std::size_t max() const noexcept { return max_; }
  std::size_t in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }

 private:
  const std::size_t max_;
  Atomic<std::size_t> in_use_{0};
};

class StackPool {
 public:
  // stack_size: bytes, rounded up to whole pages. trims: returned stacks give their memory back at once. node: where their memory is
  // to lie. Throws Error(kBadArgument).
  StackPool(std::size_t stack_size, StackLimit& limit, os::GuardKind guard_kind, bool trims = false,
            os::Node node = os::kAnyNode);
  // With a limit of its own.
  StackPool(std::size_t stack_size, std::size_t max_stacks);
  // pre: every stack has been returned.
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // A stack whose content is not specified. Throws Error(kNoStack), which names the limit that was met and what to raise.
  Stack allocate();
  void release(Stack stack) noexcept;
  // Those that have been returned give their memory back: one system call for each run of neighbours.
  void trim() noexcept;

  std::size_t stack_size() const noexcept { return stack_size_; }
  std::size_t in_use() const;
  // The highest byte of each of the first stacks, at most so many: what a fiber touches first, and keeps.
  std::vector<const void*> tops(std::size_t most) const;

 private:
  struct Slab {
    std::byte* base;
    std::size_t stacks;
  };

  std::byte* take();
  std::byte* cut_new_stack();
  void prepare_stacks();
  void reserve_slab();
  [[noreturn]] void refuse(const std::string& reason) const;
  [[noreturn]] void refuse_mapping() const;

  const std::size_t stack_size_;
  const std::size_t stride_;  // from one stack to the next
  const os::GuardKind guard_kind_;
  const bool trims_;
  const os::Node node_;
  const bool populates_;  // the pages that fibers begin on may be put into memory by another thread than theirs
  StackLimit own_limit_;
  StackLimit& limit_;

  mutable ThreadMutex mutex_;
  std::size_t in_use_ = 0;
  std::size_t cut_ = 0;       // stacks cut so far
  std::size_t prepared_ = 0;  // those and the next ones, which have their guards already
  std::size_t capacity_ = 0;  // of all slabs; those of the last one that have not been prepared follow
  std::vector<Slab> slabs_;
  std::vector<std::byte*> returned_;  // bases, last returned last; has room for all that were cut
  std::vector<unsigned> announced_;   // of all that were cut, if somebody wants to know (sanitizer::stack_made)
};

}  // namespace jobs::inline JOBS_ABI::detail
