// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// switch: two fibers switch to each other and do nothing else. Ours saves more than the raw context: exception globals and errno.
// switch_fp: the same with exception flags raised in the floating-point environment of one of the two; a switch that loads a
// status word with other flags than the processor has costs ten times as much on some machines. Unit: ns per switch.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::switching {

inline constexpr std::int64_t kSwitches = 1'000'000;

enum class FpFlags { kEqual, kDiffering };

// What the partner does before its first switch back.
inline void raise_flags(FpFlags flags) {
  if (flags == FpFlags::kDiffering) _mm_setcsr(_mm_getcsr() | _MM_EXCEPT_INEXACT | _MM_EXCEPT_UNDERFLOW);
}
// What the measuring side does before the first and after the last switch.
inline void clear_flags() { _mm_setcsr(_mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_MASK)); }

template <FpFlags kFlags>
Figures on_jobs(const Conditions&);
template <FpFlags kFlags>
Figures on_fcontext(const Conditions&);

}  // namespace bench::switching
