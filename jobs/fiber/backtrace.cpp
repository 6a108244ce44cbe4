// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The back-trace of a fiber by the unwinder of the C++ runtime.
#include "jobs/fiber/backtrace.hpp"

#if defined(JOBS_NATIVE_CONTEXT)

#include <unwind.h>

// jobs_walk_from(context, walk, argument) calls walk(argument). Its unwind table states that its
// caller is the resume address of the context. From there on an unwinder finds the registers that
// the context and its stack hold (context_x86_64.hpp and context_aarch64.hpp have the layouts).
// Therefore an unwinder that runs inside walk() continues with the fiber's frames.
#if defined(__x86_64__)
asm(R"(
.pushsection .text
.globl jobs_walk_from
.hidden jobs_walk_from
.type jobs_walk_from, @function
jobs_walk_from:
.cfi_startproc
  pushq %rbx
.cfi_adjust_cfa_offset 8
.cfi_offset rbx, -16
  movq %rdi, %rbx
  movq %rdx, %rdi
.cfi_remember_state
.cfi_def_cfa rbx, 152  # 24 bytes of context, 128 of red zone
.cfi_offset rip, -152
.cfi_offset rbx, -144
.cfi_offset rbp, -136
  call *%rsi
  nop
.cfi_restore_state
  popq %rbx
.cfi_adjust_cfa_offset -8
.cfi_restore rbx
  ret
.cfi_endproc
.size jobs_walk_from, .-jobs_walk_from
.popsection
)");
#else
asm(R"(
.pushsection .text
.balign 16
.globl jobs_walk_from
.hidden jobs_walk_from
.type jobs_walk_from, %function
jobs_walk_from:
.cfi_startproc
  hint #34  // bti c
  stp x29, x30, [sp, #-32]!
.cfi_adjust_cfa_offset 32
.cfi_offset x29, -32
.cfi_offset x30, -24
  str x19, [sp, #16]
.cfi_offset x19, -16
  mov x19, x0
  mov x0, x2
.cfi_remember_state
.cfi_def_cfa x19, 32
.cfi_offset x19, -32
.cfi_offset x29, -24
.cfi_offset x30, -16
  blr x1
  nop
.cfi_restore_state
  ldr x19, [sp, #16]
  ldp x29, x30, [sp], #32
.cfi_adjust_cfa_offset -32
.cfi_restore x19
.cfi_restore x29
.cfi_restore x30
  ret
.cfi_endproc
.size jobs_walk_from, .-jobs_walk_from
.popsection
)");
#endif

namespace jobs::inline JOBS_ABI::detail {

extern "C" void jobs_walk_from(const void* context, void (*walk)(void*), void* argument);

namespace {

constexpr int kMaxFrames = 64;
constexpr int kOwnFrames = 2;  // walk(), and jobs_walk_from or frames_here()

struct Walk {
  const void* frames[kMaxFrames];
  int count = 0;
  int skipped = 0;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  Walk& walk = *static_cast<Walk*>(argument);
  if (walk.skipped < kOwnFrames) {
    ++walk.skipped;
    return _URC_NO_REASON;
  }
  const auto address = _Unwind_GetIP(context);
  if (address == 0 || walk.count == kMaxFrames) return _URC_END_OF_STACK;
  walk.frames[walk.count++] = reinterpret_cast<const void*>(address);
  return _URC_NO_REASON;
}

JOBS_NOINLINE void walk(void* argument) {
  _Unwind_Backtrace(&visit, argument);
  asm volatile("");  // no tail call: this frame is counted
}

}  // namespace

std::vector<const void*> frames_of(const StackFiber& fiber) {
  Walk found;
  jobs_walk_from(fiber.context_, &walk, &found);
  return std::vector<const void*>(found.frames, found.frames + found.count);
}

JOBS_NOINLINE std::vector<const void*> frames_here() {
  Walk found;
  walk(&found);
  return std::vector<const void*>(found.frames, found.frames + found.count);
}

}  // namespace jobs::inline JOBS_ABI::detail

#else

namespace jobs::inline JOBS_ABI::detail {

std::vector<const void*> frames_of(const StackFiber&) { return {}; }
std::vector<const void*> frames_here() { return {}; }

}  // namespace jobs::inline JOBS_ABI::detail

#endif
