// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackUsageMonitor: releases pages and searches for the deepest used byte.
#include "jobs/fiber/stack_usage_monitor.hpp"

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/fiber_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Frames of the call that releases the pages; they are in use.
constexpr std::size_t kOwnStackBytes = 512;

std::byte* page_of(std::byte* address) noexcept {
  return address - reinterpret_cast<std::uintptr_t>(address) % os::page_size();
}

// Unsanitized, because it reads dead frames on purpose.
JOBS_UNSANITIZED std::byte* first_nonzero(std::byte* from, const std::byte* end) noexcept {
  for (std::byte* at = from; at < end; at += sizeof(std::uint64_t)) {
    if (*reinterpret_cast<const volatile std::uint64_t*>(at) != 0) return at;
  }
  return from;  // touched by a stack probe: the depth of the probe is unknown
}

}  // namespace

JOBS_NOINLINE JOBS_REAL_FRAME StackUsageMonitor::StackUsageMonitor(const Stack& stack) noexcept
    : stack_(stack), from_(static_cast<std::byte*>(__builtin_frame_address(0))) {
  std::byte* const end = page_of(from_ - kOwnStackBytes);
  if (end > stack_.base)
    os::discard_pages(stack_.base, static_cast<std::size_t>(end - stack_.base));
}

JOBS_NOINLINE std::size_t StackUsageMonitor::used() const noexcept {
  std::byte* const end = page_of(from_);
  std::byte* const page =
      os::first_resident_page(stack_.base, static_cast<std::size_t>(end - stack_.base));
  std::byte* const deepest = first_nonzero(page, page == end ? from_ : page + os::page_size());
  return static_cast<std::size_t>(from_ - deepest) + kMaxAboveEntry;
}

std::size_t resident_bytes(const Stack& stack) noexcept {
  return static_cast<std::size_t>(stack.top() - os::first_resident_page(stack.base, stack.size));
}

}  // namespace jobs::inline JOBS_ABI::detail
