// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
#include "jobs/fiber/stack_gauge.hpp"

#include <cstdint>

#include "jobs/base/os.hpp"
#include "jobs/base/sanitizer.hpp"
#include "jobs/fiber/fiber_pool.hpp"

namespace jobs::inline JOBS_ABI::detail {

namespace {

constexpr std::size_t kOwnFrames = 512;  // of the call that gives the pages back: they are in use

std::byte* page_of(std::byte* place) noexcept {
  return place - reinterpret_cast<std::uintptr_t>(place) % os::page_size();
}

// Sanitizers would take it for what it is: a look at dead frames.
JOBS_UNSANITIZED std::byte* first_that_is_not_0(std::byte* from, const std::byte* end) noexcept {
  for (std::byte* at = from; at < end; at += sizeof(std::uint64_t)) {
    if (*reinterpret_cast<const volatile std::uint64_t*>(at) != 0) return at;
  }
  return from;  // touched by a probe: how far it came is not known
}

}  // namespace

JOBS_NOINLINE JOBS_REAL_FRAME StackGauge::StackGauge(const Stack& stack) noexcept
    : stack_(stack), from_(static_cast<std::byte*>(__builtin_frame_address(0))) {
  std::byte* const end = page_of(from_ - kOwnFrames);
  if (end > stack_.base) os::discard_pages(stack_.base, static_cast<std::size_t>(end - stack_.base));
}

JOBS_NOINLINE std::size_t StackGauge::used() const noexcept {
  std::byte* const end = page_of(from_);
  std::byte* const page = os::first_resident_page(stack_.base, static_cast<std::size_t>(end - stack_.base));
  std::byte* const deepest = first_that_is_not_0(page, page == end ? from_ : page + os::page_size());
  return static_cast<std::size_t>(from_ - deepest) + kMostAboveEntry;
}

}  // namespace jobs::inline JOBS_ABI::detail
