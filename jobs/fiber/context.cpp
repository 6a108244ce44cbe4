// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Context: the parts that are rarely used, and the first instructions of a fresh context.
#include "jobs/fiber/context.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <string_view>
#include <utility>

#include "jobs/base/os.hpp"
#include "jobs/base/sanitizer.hpp"

namespace jobs::inline JOBS_ABI::detail {

ThreadRegisters::ThreadRegisters() noexcept
    : exceptions_(reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals())),
      error_number_(&errno) {}

JOBS_COLD void ThreadRegisters::save_exceptions(SavedRegisters& saved) const noexcept {
  saved.exceptions = std::exchange(*exceptions_, {});
  saved.has_exceptions = true;
}

JOBS_COLD void ThreadRegisters::restore_exceptions(SavedRegisters& saved) const noexcept {
  *exceptions_ = saved.exceptions;
  saved.has_exceptions = false;
}

JOBS_COLD void ThreadRegisters::save_float_control(SavedRegisters& saved) noexcept {
  saved.float_control = float_control();
  saved.has_float_control = true;
  reset_float_control();
}

JOBS_COLD void ThreadRegisters::restore_float_control(SavedRegisters& saved) noexcept {
  set_float_control(saved.float_control);
  saved.has_float_control = false;
}

#if defined(JOBS_NATIVE_CONTEXT) && defined(__x86_64__)

// Start of a fresh context: rax and rdi hold the Arrival, the stack holds main. For debuggers, no
// frame lies above it. Weak, because the simulated library defines it a second time.
asm(R"(
.pushsection .text
.weak jobs_context_start
.hidden jobs_context_start
.type jobs_context_start, @function
jobs_context_start:
.cfi_startproc
.cfi_undefined rip
  popq %rcx
  movq %rdi, %rsi
  movq %rax, %rdi
  xorl %ebp, %ebp
  call *%rcx
  ud2
.cfi_endproc
.size jobs_context_start, .-jobs_context_start
.popsection
)");

#elif defined(JOBS_NATIVE_CONTEXT)

// Start of a fresh context: x0 and x1 hold the Arrival, the stack holds main. For debuggers, no
// frame lies above it.
asm(R"(
.pushsection .text
.balign 16
.globl jobs_context_start
.hidden jobs_context_start
.type jobs_context_start, %function
jobs_context_start:
.cfi_startproc
.cfi_undefined x30
  hint #36  // bti j: for programs that have every indirect jump checked
  ldr x9, [sp], #32
  mov x29, #0
  mov x30, #0
  blr x9
  brk #1
.cfi_endproc
.size jobs_context_start, .-jobs_context_start
.popsection
)");

#elif defined(__x86_64__)

namespace {

constexpr FloatControl kArriving{.mxcsr = 0x3f80, .x87_control = 0x077f};  // round down
constexpr FloatControl kLeaving{.mxcsr = 0x5f80, .x87_control = 0x0b7f};   // round up

bool same(const FloatControl& a, const FloatControl& b) noexcept {
  return ((a.mxcsr ^ b.mxcsr) & ~kMxcsrStatus) == 0 &&
         (a.x87_control & 0xffff) == (b.x87_control & 0xffff);
}

JOBS_UNSANITIZED void probe(Arrival arrival) {
  auto* found = static_cast<FloatControl*>(arrival.data);
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(found->mxcsr), "=m"(found->x87_control));
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(kLeaving.mxcsr), "m"(kLeaving.x87_control));
  jump(arrival.fctx, nullptr);
}

// Enters and leaves a context with known control words. The words must arrive in the registers, and
// must be at their place in the context afterwards.
JOBS_UNSANITIZED bool layout_is_known() noexcept {
  alignas(64) std::byte stack[4096];
  FloatControl found{.mxcsr = 0, .x87_control = 0};
  Context context = make_context(stack + sizeof stack, sizeof stack, probe);
  *static_cast<FloatControl*>(context) = kArriving;
  context = jump(context, &found).fctx;
  return same(found, kArriving) && same(*static_cast<FloatControl*>(context), kLeaving);
}

}  // namespace

void check_context_layout() noexcept {
  static const bool known = layout_is_known();
  if (known) return;
  os::write_error(
      "jobs: this build of Boost.Context does not keep the floating-point control words where 1.74 "
      "does\n");
  std::abort();
}

#endif

}  // namespace jobs::inline JOBS_ABI::detail
