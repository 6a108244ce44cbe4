// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackPool: the stacks of a scheduler's fibers, all of one size. They are cut from slabs of 64, in address space that costs
// nothing until a page is touched; below each lies a guard that turns an overflow into a fault. One for each scheduler; any
// thread may call it. It is the slow path: finished fibers keep their stack and wait in the FiberPool of their worker.
// The guard catches frames up to its own size; larger ones must be probed by the compiler (-fstack-clash-protection).
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline constexpr std::size_t kGuardSize = 64 * 1024;  // address space only

struct Stack {
  std::byte* base = nullptr;  // lowest byte; the guard ends here
  std::size_t size = 0;

  std::byte* top() const noexcept { return base + size; }
};

class StackPool {
 public:
  // stack_size: bytes, rounded up to whole pages. max_stacks: how many may be taken at a time; 0: no limit but the machine's.
  // Throws Error(kBadArgument).
  StackPool(std::size_t stack_size, std::size_t max_stacks);
  // pre: every stack has been returned.
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  // A stack whose content is not specified. Throws Error(kNoStack), which names the limit that was met.
  Stack allocate();
  void release(Stack stack) noexcept;

  std::size_t stack_size() const noexcept { return stack_size_; }
  std::size_t in_use() const;

 private:
  std::byte* cut_new_stack();

  const std::size_t stack_size_;
  const std::size_t max_stacks_;
  const os::GuardKind guard_kind_;

  mutable std::mutex mutex_;
  std::size_t in_use_ = 0;
  std::size_t cut_ = 0;  // stacks cut so far; those of the last slab that are left follow
  std::vector<std::byte*> slabs_;
  std::vector<std::byte*> returned_;  // bases, last returned last; has room for all that were cut
};

}  // namespace jobs::inline JOBS_ABI::detail
