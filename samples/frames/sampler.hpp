// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Sample points for one path. No state passes from one path to the next: each number is a function
// of pixel, sample and dimension. A picture therefore does not depend on the distribution of pixels
// over workers.
//
// The points of one pixel and dimension are a Sobol' (0,2)-sequence with Owen's scrambling: n of
// them are spread far more evenly than n random points. Each dimension shuffles them anew (Burley,
// "Practical Hash-based Owen Scrambling", 2020).
#pragma once

#include <cstdint>

namespace frames {

struct Pair {
  float u, v;  // each in [0, 1)
};

namespace sampling {

constexpr std::uint32_t reversed(std::uint32_t x) {
  x = (x << 16) | (x >> 16);
  x = ((x & 0x00ff00ffu) << 8) | ((x >> 8) & 0x00ff00ffu);
  x = ((x & 0x0f0f0f0fu) << 4) | ((x >> 4) & 0x0f0f0f0fu);
  x = ((x & 0x33333333u) << 2) | ((x >> 2) & 0x33333333u);
  return ((x & 0x55555555u) << 1) | ((x >> 1) & 0x55555555u);
}

// Every bit of the result depends on every bit of x. The constants are Wellons's "lowbias32".
constexpr std::uint32_t hashed(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

constexpr std::uint32_t hashed(std::uint32_t a, std::uint32_t b) {
  return hashed(a ^ (hashed(b) + 0x9e3779b9u));
}

// Flips each bit depending on the higher bits only (Laine and Karras, "Stratified Sampling for
// Stochastic Transparency", 2011). A multiplication by an even number carries upwards, so the
// function works on the reversed bits.
constexpr std::uint32_t owen_scrambled(std::uint32_t x, std::uint32_t seed) {
  x = reversed(x) + seed;
  x ^= x * 0x6c50b47cu;
  x ^= x * 0xb82f1e52u;
  x ^= x * 0xc7afe638u;
  x ^= x * 0x8d22f6e6u;
  return reversed(x);
}

// Returns element `index` of the second Sobol' dimension, as a 32-bit fraction: Pascal's triangle
// modulo 2 times the index. The triangle of size 2n consists of three of size n, hence five steps
// instead of 32.
constexpr std::uint32_t sobol_second(std::uint32_t index) {
  std::uint32_t x = reversed(index);
  x ^= (x & 0x0000ffffu) << 16;
  x ^= (x & 0x00ff00ffu) << 8;
  x ^= (x & 0x0f0f0f0fu) << 4;
  x ^= (x & 0x33333333u) << 2;
  return x ^ ((x & 0x55555555u) << 1);
}

constexpr float to_unit(std::uint32_t x) { return static_cast<float>(x >> 8) * 0x1p-24f; }

}  // namespace sampling

class Sampler {
 public:
  constexpr Sampler(int x, int y, int sample)
      : seed_(sampling::hashed(static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y))),
        sample_(static_cast<std::uint32_t>(sample)) {}

  constexpr Pair next_pair() {
    const Shuffled at = next_dimension();
    return {value(sampling::reversed(at.index), at.seed),
            value(sampling::sobol_second(at.index), at.seed + 1)};
  }

  constexpr float next() {
    const Shuffled at = next_dimension();
    return value(sampling::reversed(at.index), at.seed);
  }

 private:
  struct Shuffled {
    std::uint32_t index;
    std::uint32_t seed;
  };

  // Permutes the sequence differently for each dimension; the same order would put the points of
  // two dimensions on few lines.
  constexpr Shuffled next_dimension() {
    const std::uint32_t seed = sampling::hashed(seed_, dimension_++);
    return {sampling::owen_scrambled(sample_, seed), sampling::hashed(seed)};
  }

  static constexpr float value(std::uint32_t fraction, std::uint32_t seed) {
    return sampling::to_unit(sampling::owen_scrambled(fraction, seed));
  }

  std::uint32_t seed_;
  std::uint32_t sample_;
  std::uint32_t dimension_ = 0;
};

}  // namespace frames
