// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackGauge: how deep the stack goes that the caller runs on, from here on. It gives the memory below the caller back, so that what
// is in memory afterwards was used since; the deepest page is looked through for the last byte that is not 0. Costs two system
// calls, and one page fault for each page used: 2 to 3 us for a fiber that needs two pages. What was swapped out counts as unused.
#pragma once

#include <cstddef>

#include "jobs/base/config.hpp"
#include "jobs/fiber/stack_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

class StackGauge {
 public:
  // pre: the caller runs on that stack, and reads what it finds in a frame of its own.
  explicit StackGauge(const Stack& stack) noexcept;

  // Bytes of stack that a fiber with a stack of its own needs for what ran since, its control block included; at most a page too many.
  std::size_t used() const noexcept;

 private:
  const Stack& stack_;
  std::byte* const from_;
};

}  // namespace jobs::inline JOBS_ABI::detail
