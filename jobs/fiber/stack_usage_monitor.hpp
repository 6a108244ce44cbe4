// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackUsageMonitor: measures the stack use of the caller, from the construction on. The
// constructor releases the memory below the caller to the system. Therefore pages that are resident
// afterwards were used since. used() searches the deepest page for the last byte that is not 0.
//
// Cost: two system calls, and one page fault for each page used; 2 to 3 us for a fiber that needs
// two pages. A page that was swapped out counts as unused. Only the thread that runs on the stack
// may use a monitor.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StackUsageMonitor {
 public:
  // pre: the caller runs on that stack, is not inlined, and calls used() from the same frame.
  explicit StackUsageMonitor(const Stack& stack) noexcept;

  // Number of bytes that a fiber with its own stack needs for the code that ran since, including
  // its control block. The result is at most one page too large.
  std::size_t used() const noexcept;

 private:
  const Stack& stack_;
  std::byte* const from_;
};

// Returns the bytes from the top of a stack to its deepest page in memory. The cost is a system
// call, 3 us for a stack of 256 KiB. Any thread, while the stack exists.
JOBS_EXPORT std::size_t resident_bytes(const Stack& stack) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
