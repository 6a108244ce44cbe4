// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackClass: the sizes of stacks for Fibers: 16, 64 and 256 KiB, 1 MiB, and every power of two
// above, up to 1 GiB. A small number of sizes makes stacks reusable. Loop fibers have the size of
// SchedulerOptions, rounded up to a page. Any thread may call these functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"
#include "jobs/base/os.hpp"

namespace jobs::inline JOBS_ABI::detail {

using StackClass = std::uint8_t;

// No class: the stack of the loop that took the fiber.
inline constexpr StackClass kLoopStack = 0xff;
inline constexpr StackClass kStackClasses = 14;

// Control block, exception handling, a few calls.
inline constexpr std::size_t kMinStackSize = 16 * 1024;
// A slab of one such stack is still a thousandth of the address space.
inline constexpr std::size_t kMaxStackSize = 1024 * 1024 * 1024;

constexpr std::size_t size_of_class(StackClass stack_class) noexcept {
  // The first sizes differ by a factor of 4, the next ones by 2.
  constexpr unsigned kQuadruples = 3;
  const unsigned doublings =
      stack_class <= kQuadruples ? 2 * stack_class : stack_class + kQuadruples;
  return kMinStackSize << doublings;
}
static_assert(size_of_class(0) == kMinStackSize && size_of_class(1) == 64 * 1024 &&
              size_of_class(2) == 256 * 1024);
static_assert(size_of_class(3) == 1024 * 1024 && size_of_class(4) == 2 * 1024 * 1024);
static_assert(size_of_class(kStackClasses - 1) == kMaxStackSize);

// Throws Error(kBadArgument), which names the size, unless the size lies between kMinStackSize and
// kMaxStackSize.
void check_stack_size(std::size_t size);
// Returns the smallest class of at least `size` bytes. Throws as check_stack_size().
JOBS_EXPORT StackClass class_of_size(std::size_t size);

// Size in bytes of the guard below a stack; it costs address space only. The smallest stacks have a
// guard of one page, because page tables count with a million of them.
JOBS_ALWAYS_INLINE std::size_t guard_size(std::size_t stack_size) noexcept {
  return stack_size > kMinStackSize ? std::size_t{64} * 1024 : os::page_size();
}

}  // namespace jobs::inline JOBS_ABI::detail
