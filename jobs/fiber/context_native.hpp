// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// What the contexts of our own have in common, whatever the processor. Included by context_x86_64.hpp and context_aarch64.hpp alone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

using Context = void*;

// What a jump brings to where it lands.
struct Arrival {
  Context fctx;  // the context that was left
  void* data;    // what it passed
};

// Here nothing is to be done about the sticky flags, and there is no layout of others to check.
JOBS_ALWAYS_INLINE void raise_float_status(Context) noexcept {}
inline void check_context_layout() noexcept {}

extern "C" void jobs_context_start() noexcept;  // context.cpp

// Where a fresh context lies on the stack that ends at `top`: four words, aligned as a call wants it.
inline void** first_context(std::byte* top) noexcept {
  return reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15}) - 4;
}

}  // namespace jobs::inline JOBS_ABI::detail
