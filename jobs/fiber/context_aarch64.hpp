// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context on AArch64, saved and resumed by a few instructions in the caller. Only context.hpp
// includes this file.
//
// The asm statement declares that everything but the stack pointer is lost. Therefore the compiler
// saves only the live registers. A function call would save twenty registers every time.
//
// Layout of a saved context, from its address upwards: x19; x29; resume address; unused. Layout of
// a fresh context: main; unused; context_start; unused.
#pragma once

#include <cstddef>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/fiber/context_native.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline std::string context_name() { return "native AArch64"; }

// Returns a context that calls `main` on the stack that ends at `top`. pre: `main` never returns.
inline Context make_context(std::byte* top, std::size_t, void (*main)(Arrival)) noexcept {
  void** const context = first_context(top);
  context[0] = reinterpret_cast<void*>(main);
  context[2] = reinterpret_cast<void*>(&jobs_context_start);
  return context;
}

// Leaves the running context for `to`. The clobber list cannot name x29, nor x19 where a compiler
// needs x19 to find its frame. AArch64 has no red zone.
JOBS_SWITCH_INLINE Arrival jump(Context to, void* data) noexcept {
  register void* left asm("x0");
  register void* passed asm("x1") = data;
  register Context target asm("x2") = to;
  asm volatile(
      "stp x19, x29, [sp, #-32]!\n\t"
      "adr x3, 1f\n\t"
      "str x3, [sp, #16]\n\t"
      "mov x0, sp\n\t"
      "mov sp, x2\n\t"
      "ldr x3, [x2, #16]\n\t"
      "br x3\n\t"
      "1:\n\t"
      "hint #36\n\t"  // bti j: for programs that check every indirect jump
      "ldp x19, x29, [sp], #32"
      : "=r"(left), "+r"(passed), "+r"(target)
      :
      : "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
        "x17", "x18", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "v0",
        "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
        "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27",
        "v28", "v29", "v30", "v31",
#if defined(__ARM_FEATURE_SVE)
        "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13",
        "p14", "p15", "ffr",
#endif
        "cc", "memory");
  return {left, passed};
}

}  // namespace jobs::inline JOBS_ABI::detail
