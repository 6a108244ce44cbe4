// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context on x86-64, saved and resumed by a few instructions in the caller. Only context.hpp
// includes this file.
//
// The asm statement declares that everything but the stack pointer is lost. Therefore the compiler
// saves only the live registers. A function call would save six registers and the control words
// every time.
//
// Layout of a saved context, from its address upwards: resume address; rbx; rbp. Layout of a fresh
// context: context_start; main.
#pragma once

#include <cstddef>
#include <string>

#include "jobs/base/config.hpp"
#include "jobs/fiber/context_native.hpp"

namespace jobs::inline JOBS_ABI::detail {

inline std::string context_name() { return "native x86-64"; }

// Returns a context that calls `main` on the stack that ends at `top`. pre: `main` never returns.
inline Context make_context(std::byte* top, std::size_t, void (*main)(Arrival)) noexcept {
  void** const context = first_context(top);
  context[0] = reinterpret_cast<void*>(&jobs_context_start);
  context[1] = reinterpret_cast<void*>(main);
  return context;
}

// Leaves the running context for `to`. It uses `jmp`, because the processor's return stack would
// mispredict a `ret`. The clobber list cannot name rbx and rbp, so the asm saves them. It does not
// touch the red zone of the enclosing function.
JOBS_SWITCH_INLINE Arrival jump(Context to, void* data) noexcept {
  Context left;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "pushq %%rbx\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, %%rax\n\t"
      "movq %%rsi, %%rsp\n\t"
      "popq %%rcx\n\t"
      "jmpq *%%rcx\n\t"
      "1:\n\t"
      "popq %%rbx\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp"
      : "=a"(left), "+D"(data), "+S"(to)
      :
      : "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1", "xmm2",
        "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15",
#if defined(__AVX512F__)
        "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",
        "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6",
        "k7",
#endif
        "cc", "memory");
  return {left, data};
}

}  // namespace jobs::inline JOBS_ABI::detail
