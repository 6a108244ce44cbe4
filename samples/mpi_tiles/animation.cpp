// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The pixels of the animation.
#include "samples/mpi_tiles/animation.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "jobs/parallel_for.hpp"

namespace tiles {

namespace {

constexpr int kMaxSteps = 400;

// The number of steps until the point leaves the circle of radius 2.
int steps_of(std::complex<double> point, std::complex<double> constant) {
  double x = point.real(), y = point.imag();
  int steps = 0;
  for (; steps < kMaxSteps && x * x + y * y < 4; ++steps) {
    const double next = x * x - y * y + constant.real();
    y = 2 * x * y + constant.imag();
    x = next;
  }
  return steps;
}

void paint(int steps, std::uint8_t* pixel) {
  const int light = steps == kMaxSteps ? 0 : steps;
  pixel[0] = static_cast<std::uint8_t>(std::min(255, 2 * light));
  pixel[1] = static_cast<std::uint8_t>(std::min(255, 5 * light));
  pixel[2] = static_cast<std::uint8_t>(std::min(255, 40 + 9 * light));
}

}  // namespace

Rectangle Animation::rectangle_of(int tile) const {
  const int in_frame = tile % tiles_per_frame();
  const int left = in_frame % columns() * kTileSize;
  const int top = in_frame / columns() * kTileSize;
  return {left, top, std::min(left + kTileSize, width_), std::min(top + kTileSize, height_)};
}

void Animation::render(int tile, TilePixels& pixels) const {
  const double angle = 2 * std::numbers::pi * frame_of(tile) / frames_;
  const std::complex<double> constant = std::polar(0.7885, angle);
  const Rectangle area = rectangle_of(tile);
  const double scale = 3.0 / std::min(width_, height_);
  jobs::parallel_for(area.top, area.bottom, [&](int y) {
    for (int x = area.left; x < area.right; ++x) {
      const std::complex<double> point(scale * (x - width_ / 2), scale * (y - height_ / 2));
      const int index = (y - area.top) * kTileSize + (x - area.left);
      paint(steps_of(point, constant), &pixels[static_cast<std::size_t>(3 * index)]);
    }
  });
}

}  // namespace tiles
