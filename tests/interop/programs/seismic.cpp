// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A wave that spreads over a grid: two parallel_for per step, over rows with an
// affinity_partitioner and over a blocked_range2d. It computes in floating point, but each cell
// depends on its neighbours only, so the bits are the same.
#include <oneapi/tbb.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int kHeight = 120;
constexpr int kWidth = 160;

struct Universe {
  std::vector<float> stress = std::vector<float>(kHeight * kWidth);
  std::vector<float> velocity = std::vector<float>(kHeight * kWidth);

  static std::size_t at(int y, int x) { return static_cast<std::size_t>(y * kWidth + x); }
  void pulse(int step) { stress[at(kHeight / 2, kWidth / 3)] += step < 20 ? 4.0f : 0.0f; }
  void update_velocity(const oneapi::tbb::blocked_range<int>& rows) {
    for (int y = rows.begin(); y < rows.end(); ++y) {
      for (int x = 1; x < kWidth; ++x) {
        velocity[at(y, x)] += 0.25f * (stress[at(y, x)] - stress[at(y, x - 1)] + stress[at(y, x)] -
                                       stress[at(y - 1, x)]);
      }
    }
  }
  void update_stress(const oneapi::tbb::blocked_range2d<int>& part) {
    for (int y = part.rows().begin(); y < part.rows().end(); ++y) {
      for (int x = part.cols().begin(); x < part.cols().end(); ++x) {
        const float sum = velocity[at(y, x + 1)] + velocity[at(y + 1, x)] - 2 * velocity[at(y, x)];
        stress[at(y, x)] = 0.999f * (stress[at(y, x)] + 0.25f * sum);
      }
    }
  }
};

}  // namespace

int main() {
  Universe universe;
  oneapi::tbb::affinity_partitioner affinity;
  for (int step = 0; step < 60; ++step) {
    universe.pulse(step);
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<int>(1, kHeight),
        [&](const oneapi::tbb::blocked_range<int>& rows) { universe.update_velocity(rows); },
        affinity);
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range2d<int>(0, kHeight - 1, 8, 0, kWidth - 1, 16),
        [&](const oneapi::tbb::blocked_range2d<int>& part) { universe.update_stress(part); });
  }
  unsigned hash = 0;
  for (const float value : universe.stress) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    hash = hash * 31 + bits;
  }
  std::printf("stress %08x, %.6g in the middle\n", hash,
              universe.stress[Universe::at(kHeight / 2, kWidth / 2)]);
}
