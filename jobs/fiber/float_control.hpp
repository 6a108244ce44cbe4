// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The floating-point control of the calling thread: rounding, flush-to-zero, traps. It belongs to a
// fiber, and nearly no fiber changes it. Therefore a switch checks whether it is the default, and
// saves it only if not.
//
// On x86-64 the check adds numbers; the results depend on the control. That takes 0.4 ns, whereas
// reading the control word of SSE takes 6 ns on an EPYC of the third generation. On AArch64 the
// check reads the control word, where only the write is expensive.
//
// The check does not see traps that SSE intrinsics alone enable; it sees feenableexcept(). The
// sticky status flags are no control. They belong to the thread and have no meaning across a wait.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <emmintrin.h>
#elif !defined(__aarch64__)
#include <cfenv>
#endif

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

#if defined(__x86_64__)

inline constexpr std::uint32_t kMxcsrStatus = 0x3f;  // the sticky flags
inline constexpr float kDenormal = 0x1p-149F;        // the smallest positive number

// The layout is that of Boost.Context; only 16 bits of x87_control count.
struct FloatControl {
  std::uint32_t mxcsr = 0x1f80;        // round to nearest, no traps; status flags do not count
  std::uint32_t x87_control = 0x037f;  // round to nearest, no traps, 64 bits of precision
};

inline FloatControl float_control() noexcept {
  FloatControl control{.mxcsr = _mm_getcsr() & ~kMxcsrStatus, .x87_control = 0};
  asm volatile("fnstcw %0" : "=m"(control.x87_control));
  return control;
}

inline void set_float_control(const FloatControl& control) noexcept {
  _mm_setcsr((control.mxcsr & ~kMxcsrStatus) | (_mm_getcsr() & kMxcsrStatus));
  asm volatile("fldcw %0" : : "m"(control.x87_control));
}

// Every change by <cfenv> also changes the x87 word.
JOBS_ALWAYS_INLINE bool is_float_control_default() noexcept {
  std::uint16_t x87_control;
  asm volatile("fnstcw %0" : "=m"(x87_control));
  if (x87_control != FloatControl().x87_control) [[unlikely]]
    return false;  // before the sums, which may trap
  __m128 values = _mm_setr_ps(1, 1, kDenormal, 0);
  asm volatile("" : "+x"(values));  // the compiler would add with its own rounding
  const __m128 sums = _mm_add_ps(values, _mm_setr_ps(0x1p-30F, -0x1p-30F, kDenormal, 0));
  const __m128i nearest = _mm_castps_si128(_mm_setr_ps(1, 1, 2 * kDenormal, 0));
  return _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_castps_si128(sums), nearest)) == 0xffff;
}

#elif defined(__aarch64__)

struct FloatControl {
  // Round to nearest, no traps, no flush to zero; the sticky flags are in FPSR.
  std::uint64_t fpcr = 0;
};

inline FloatControl float_control() noexcept {
  FloatControl control;
  asm volatile("mrs %0, fpcr" : "=r"(control.fpcr));
  return control;
}
inline void set_float_control(const FloatControl& control) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(control.fpcr));
}
JOBS_ALWAYS_INLINE bool is_float_control_default() noexcept {
  return float_control().fpcr == FloatControl().fpcr;
}

#else

struct FloatControl {
  std::fenv_t environment;
};

inline FloatControl float_control() noexcept {
  FloatControl control;
  std::fegetenv(&control.environment);
  return control;
}
inline void set_float_control(const FloatControl& control) noexcept {
  std::fesetenv(&control.environment);
}
// No cheap check is known for this processor, so each switch saves and restores the environment.
inline bool is_float_control_default() noexcept { return false; }

#endif

inline void reset_float_control() noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
  set_float_control({});
#else
  std::fesetenv(FE_DFL_ENV);
#endif
}

JOBS_ALWAYS_INLINE void ensure_default_float_control() noexcept {
  if (!is_float_control_default()) [[unlikely]]
    reset_float_control();
}

}  // namespace jobs::inline JOBS_ABI::detail
