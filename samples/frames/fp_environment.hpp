// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Embree is fastest when denormal numbers count as zero, and pictures are equal only when every thread computes in the
// same mode. A scope of this type sets the mode and puts the caller's back. x86 only, as Debian's Embree.
#pragma once

#include <pmmintrin.h>
#include <xmmintrin.h>

namespace frames {

class FpEnvironment {
 public:
  FpEnvironment() : saved_(_mm_getcsr()) { _mm_setcsr(kDefault | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON); }
  ~FpEnvironment() { _mm_setcsr(saved_); }
  FpEnvironment(const FpEnvironment&) = delete;
  FpEnvironment& operator=(const FpEnvironment&) = delete;

 private:
  static constexpr unsigned kDefault = _MM_MASK_MASK | _MM_ROUND_NEAREST;  // no exception traps

  unsigned saved_;
};

}  // namespace frames
