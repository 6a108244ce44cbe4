// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Random: a pseudo-random generator for one worker, small enough for its hot cache line. It chooses
// victims and shuffles tests. It is not for statistics or secrets. Only its owner may call it.
//
// xorshift64* of S. Vigna, "An experimental exploration of Marsaglia's xorshift generators,
// scrambled", ACM TOMS 42(4), 2016. The seed goes through the finalizer of splitmix64, so that the
// seeds 1, 2, 3 ... give unrelated sequences (G. Steele, D. Lea, C. Flood, "Fast splittable
// pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI::detail {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) noexcept : state_(scramble(seed)) {}

  // Returns a 32-bit number; all numbers are equally frequent.
  constexpr std::uint32_t next() noexcept {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    // The upper half has the better distribution.
    return static_cast<std::uint32_t>((state_ * 0x2545f4914f6cdd1du) >> 32);
  }

  // Returns a number in [0, n), without a division. pre: n > 0. The probability of each number
  // deviates by at most a factor of n / 2^32.
  constexpr std::uint32_t below(std::uint32_t n) noexcept {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32);
  }

 private:
  static constexpr std::uint64_t scramble(std::uint64_t seed) noexcept {
    std::uint64_t z = seed + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return z != 0 ? z : 1;  // xorshift never leaves 0
  }

  std::uint64_t state_;
};

}  // namespace jobs::inline JOBS_ABI::detail
