// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Parts that the native contexts of all processors share. Only context_x86_64.hpp and
// context_aarch64.hpp include this file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

using Context = void*;

// The data that a jump brings to its target.
struct Arrival {
  Context fctx;  // the context that was left
  void* data;    // the argument of the jump
};

// Native contexts do not load the sticky flags, and their layout is our own. So both functions do
// nothing.
JOBS_ALWAYS_INLINE void raise_float_status(Context) noexcept {}
inline void check_context_layout() noexcept {}

extern "C" void jobs_context_start() noexcept;  // defined in context.cpp

// Address of a fresh context on the stack that ends at `top`: four words, with the alignment that a
// call needs.
inline void** first_context(std::byte* top) noexcept {
  return reinterpret_cast<void**>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{15}) - 4;
}

}  // namespace jobs::inline JOBS_ABI::detail
