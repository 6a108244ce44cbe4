// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// switch: two fibers switch to each other. jobs saves more than the raw context: exception globals
// and errno. switch_fp: the same with exception flags raised in the floating-point environment of
// one fiber. On some machines, loading a status word with other flags than the processor's costs
// ten times as much. Unit: ns per switch.
#pragma once

#include <xmmintrin.h>

#include <cstdint>

#include "bench/support/contender.hpp"

namespace bench::switching {

inline constexpr std::int64_t kSwitches = 1'000'000;

enum class FpFlags { kEqual, kDiffering };

// Called by the partner before its first switch back.
inline void raise_flags(FpFlags flags) {
  if (flags == FpFlags::kDiffering)
    _mm_setcsr(_mm_getcsr() | _MM_EXCEPT_INEXACT | _MM_EXCEPT_UNDERFLOW);
}
// Called by the measuring side before the first and after the last switch.
inline void clear_flags() { _mm_setcsr(_mm_getcsr() & ~static_cast<unsigned>(_MM_EXCEPT_MASK)); }

template <FpFlags kFlags>
Figures on_jobs(const Conditions&);
template <FpFlags kFlags>
Figures on_fcontext(const Conditions&);

}  // namespace bench::switching
