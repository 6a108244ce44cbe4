// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The floating-point mode of the tracer. Embree is fastest if denormal numbers count as zero, and
// pictures are equal only if every thread computes in the same mode. A scope of this type sets the
// mode and restores the caller's. x86 only, as Debian's Embree.
#pragma once

#include <pmmintrin.h>
#include <xmmintrin.h>

namespace frames {

class FpEnvironment {
 public:
  FpEnvironment() : saved_(_mm_getcsr()) {
    _mm_setcsr(kDefault | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON);
  }
  ~FpEnvironment() { _mm_setcsr(saved_); }
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;

 private:
  // No exception traps.
  static constexpr unsigned kDefault = _MM_MASK_MASK | _MM_ROUND_NEAREST;

  unsigned saved_;
};

}  // namespace frames
