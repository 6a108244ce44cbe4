// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The floating-point control of this thread: rounding, flush-to-zero, traps. It belongs to a fiber, and nearly no fiber changes it.
// So a switch does not carry it over but looks whether it is the default, and does more only if not. Reading the control word of
// SSE takes 6 ns on our machines, sums whose results depend on it take 0.4. On AArch64 a look is reading the control word: what is dear
// there is writing it.
//
// Not seen by the look: traps enabled by SSE intrinsics alone (feenableexcept() is seen). The sticky status flags are no control:
// they are the thread's, and mean nothing across a wait.
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
inline constexpr float kDenormal = 0x1p-149F;        // the smallest

// A word as wide as the place that Boost.Context keeps it in; only 16 bits of x87_control count.
struct FloatControl {
  std::uint32_t mxcsr = 0x1f80;        // round to nearest, nothing traps; status flags do not count
  std::uint32_t x87_control = 0x037f;  // the same, with 64 bits of precision
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

// Whatever <cfenv> changes, it changes in the x87 word as well.
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
  std::uint64_t fpcr = 0;  // round to nearest, nothing traps, nothing is flushed; the sticky flags are elsewhere
};

inline FloatControl float_control() noexcept {
  FloatControl control;
  asm volatile("mrs %0, fpcr" : "=r"(control.fpcr));
  return control;
}
inline void set_float_control(const FloatControl& control) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(control.fpcr));
}
JOBS_ALWAYS_INLINE bool is_float_control_default() noexcept { return float_control().fpcr == FloatControl().fpcr; }

#else

struct FloatControl {
  std::fenv_t environment;
};

inline FloatControl float_control() noexcept {
  FloatControl control;
  std::fegetenv(&control.environment);
  return control;
}
inline void set_float_control(const FloatControl& control) noexcept { std::fesetenv(&control.environment); }
// No cheap look is known: then each switch carries it over.
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
