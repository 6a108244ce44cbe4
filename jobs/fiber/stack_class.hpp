// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackClass: the sizes that stacks of Fibers come in, few, so that each is used again: 16, 64 and 256 KiB, 1 MiB, and every power of
// two above, up to 1 GiB. Loop fibers have the size that SchedulerOptions says, to the page.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

using StackClass = std::uint8_t;

inline constexpr StackClass kLoopStack = 0xff;  // no class: the stack of the loop that took the fiber
inline constexpr StackClass kStackClasses = 14;

inline constexpr std::size_t kMinStackSize = 16 * 1024;  // control block, handler of the exceptions, a few calls
inline constexpr std::size_t kMaxStackSize =
    1024 * 1024 * 1024;  // a slab of one is still a thousandth of the address space

constexpr std::size_t size_of_class(StackClass stack_class) noexcept {
  constexpr unsigned kQuadruples = 3;  // the first ones are that far apart, the others double
  const unsigned doublings = stack_class <= kQuadruples ? 2 * stack_class : stack_class + kQuadruples;
  return kMinStackSize << doublings;
}
static_assert(size_of_class(0) == kMinStackSize && size_of_class(1) == 64 * 1024 && size_of_class(2) == 256 * 1024);
static_assert(size_of_class(3) == 1024 * 1024 && size_of_class(4) == 2 * 1024 * 1024);
static_assert(size_of_class(kStackClasses - 1) == kMaxStackSize);

// Throws Error(kBadArgument) that names the size unless it lies between kMinStackSize and kMaxStackSize.
void check_stack_size(std::size_t size);
// The smallest class with at least so many bytes. Throws as check_stack_size().
JOBS_EXPORT StackClass class_of_size(std::size_t size);

// Bytes that fault below a stack: address space only. One page below the smallest, as with a million of them page tables count.
std::size_t guard_size(std::size_t stack_size) noexcept;

}  // namespace jobs::inline JOBS_ABI::detail
