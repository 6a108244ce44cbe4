// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// RandomAt: random numbers by index instead of from a sequence. A parallel loop draws the same
// numbers regardless of which worker runs which iteration.
//
//   const jobs::RandomAt random(seed);
//   jobs::parallel_for(0, n, [&](int i) { x[i] = random.real(i); });
//
// A value without state. Any number of threads may use one object.
#pragma once

#include <array>
#include <cstdint>

#include "jobs/base/config.hpp"

namespace jobs::inline JOBS_ABI {

/// Random numbers by index: a pure function of seed, index and stream.
///
/// Copies draw the same numbers. Not for cryptography.
///
/// @snippet algorithms.cpp random_at
///
/// Source: Philox-4x32-10 of J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random numbers: as
/// easy as 1, 2, 3", SC 2011.
///
/// @thread_safety any number of threads may use one object concurrently
class RandomAt {
 public:
  /// Creates the generator with this seed.
  ///
  /// @param seed  key of the generator: another seed gives other numbers
  explicit constexpr RandomAt(std::uint64_t seed) noexcept : seed_(seed) {}

  /// Returns a uniformly distributed number of 64 bits.
  ///
  /// @param index  position in the stream
  /// @param stream  each stream has other numbers
  /// @returns the number of this index and stream
  /// @complexity O(1), about 10 ns
  constexpr std::uint64_t operator()(std::uint64_t index, std::uint64_t stream = 0) const noexcept {
    const Words words = block(index, stream);
    return std::uint64_t{words[1]} << 32 | words[0];
  }
  /// Returns a uniformly distributed number of [0, 1), a multiple of 2^-53.
  ///
  /// @param index  position in the stream
  /// @param stream  each stream has other numbers
  /// @returns the number of this index and stream
  /// @complexity O(1), about 10 ns
  constexpr double real(std::uint64_t index, std::uint64_t stream = 0) const noexcept {
    return static_cast<double>((*this)(index, stream) >> 11) * 0x1p-53;
  }

  /// 128 random bits.
  using Words = std::array<std::uint32_t, 4>;
  /// Returns all 128 random bits of an index and a stream.
  ///
  /// @param index  position in the stream
  /// @param stream  each stream has other numbers
  /// @returns four words of 32 bits
  /// @complexity O(1), about 10 ns
  constexpr Words block(std::uint64_t index, std::uint64_t stream) const noexcept {
    Words x{low(index), high(index), low(stream), high(stream)};
    std::uint32_t key[2] = {low(seed_), high(seed_)};
    for (int round = 0; round < 10; ++round) {
      const std::uint64_t a = std::uint64_t{0xd2511f53u} * x[0];
      const std::uint64_t b = std::uint64_t{0xcd9e8d57u} * x[2];
      x = {high(b) ^ x[1] ^ key[0], low(b), high(a) ^ x[3] ^ key[1], low(a)};
      key[0] += 0x9e3779b9u;  // the golden ratio
      key[1] += 0xbb67ae85u;  // the square root of 3, less 1
    }
    return x;
  }

 private:
  static constexpr std::uint32_t low(std::uint64_t x) noexcept {
    return static_cast<std::uint32_t>(x);
  }
  static constexpr std::uint32_t high(std::uint64_t x) noexcept {
    return static_cast<std::uint32_t>(x >> 32);
  }

  std::uint64_t seed_;
};

}  // namespace jobs::inline JOBS_ABI
