// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// StackGauge: releases pages and searches for the deepest used byte.
#include "jobs/fiber/stack_usage_monitor.hpp"

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/fiber_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

// Frames of the call that releases the pages; they are in use.
constexpr std::size_t kOwnStackBytes = 512;

std::byte* page_of(std::byte* place) noexcept {
  return place - reinterpret_cast<std::uintptr_t>(place) % os::page_size();
}

// Unsanitized, because it reads dead frames on purpose.
JOBS_UNSANITIZED std::byte* first_that_is_not_0(std::byte* from, const std::byte* end) noexcept {
  for (std::byte* at = from; at < end; at += sizeof(std::uint64_t)) {
    if (*reinterpret_cast<const volatile std::uint64_t*>(at) != 0) return at;
  }
  return from;  // touched by a stack probe: the depth of the probe is unknown
}

}  // namespace

JOBS_NOINLINE JOBS_REAL_FRAME StackGauge::StackGauge(const Stack& stack) noexcept
    : stack_(stack), from_(static_cast<std::byte*>(__builtin_frame_address(0))) {
  std::byte* const end = page_of(from_ - kOwnStackBytes);
  if (end > stack_.base) os::discard_pages(stack_.base, static_cast<std::size_t>(end - stack_.base));
}

JOBS_NOINLINE std::size_t StackGauge::used() const noexcept {
  std::byte* const end = page_of(from_);
  std::byte* const page = os::first_resident_page(stack_.base, static_cast<std::size_t>(end - stack_.base));
  std::byte* const deepest = first_that_is_not_0(page, page == end ? from_ : page + os::page_size());
  return static_cast<std::size_t>(from_ - deepest) + kMostAboveEntry;
}

}  // namespace jobs::inline JOBS_ABI::detail
