// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The nodes of the trees. Compiled once, so that all sides walk the same trees, to the bit.
#include "bench/trees/workload.hpp"

#include <cmath>

namespace bench::trees {
namespace {

double cubic(double x) { return (x * x + 1) * x; }

Integrate::Piece piece(double from, double to, double at_from, double at_to) {
  return {from, to, at_from, at_to, (to - from) * (at_from + at_to) / 2};
}

}  // namespace

const std::int64_t Integrate::kExpected = 914'251;
const std::int64_t Integrate::kNodes = 2 * kExpected - 1;

Integrate::Piece Integrate::whole() { return piece(0, 2'000, 0, cubic(2'000)); }

bool Integrate::halve(const Piece& all, Piece& left, Piece& right) {
  constexpr double kFlat = 1e-5;
  const double middle = (all.from + all.to) / 2;
  const double at_middle = cubic(middle);
  left = piece(all.from, middle, all.at_from, at_middle);
  right = piece(middle, all.to, at_middle, all.at_to);
  return std::abs(left.area + right.area - all.area) > kFlat;
}

const std::int64_t Uts::kExpected = 767'941;
const std::int64_t Uts::kNodes = kExpected;

// Mixes like SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014).
std::uint64_t Uts::child_of(std::uint64_t node, int number) {
  std::uint64_t z = node + (static_cast<std::uint64_t>(number) + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// A geometric distribution with a mean of 4: one more child with a probability of 4/5.
int Uts::children_of(std::uint64_t node, int depth) {
  if (depth == kDepth) return 0;
  int children = depth == 0 ? 4 : 0;
  for (std::uint64_t bits = child_of(node, -2); (bits & 0xff) < 205 && children < 32;
       bits = child_of(bits, 0))
    ++children;
  return children;
}

const std::int64_t Skynet::kExpected = kLeaves * (kLeaves - 1) / 2;
const std::int64_t Skynet::kNodes = (10 * kLeaves - 1) / 9;

}  // namespace bench::trees
