// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The work itself: path-traces one tile of the picture. Every backend calls this one function,
// which is compiled once. It is a pure function of its arguments, so any thread may compute the
// tiles in any order, with the same bytes.
#pragma once

#include <cstdint>

#include "samples/frames/camera.hpp"
#include "samples/frames/image.hpp"
#include "samples/frames/scene.hpp"

namespace frames {

struct Shot {
  Camera camera;
  // Per pixel; fewer if the pixel is certain sooner.
  int max_samples;
};

struct TileCost {
  std::uint64_t rays = 0;
  std::uint64_t samples = 0;
};

// Writes the pixels of `tile`, and nothing else, into `image`. pre: the scene is built; no other
// call has the same tile. Does not block and does not throw. Preserves the caller's rounding and
// denormal mode, which has no effect on the result.
TileCost render_tile(const Scene& scene, const Shot& shot, const Tile& tile, Image& image) noexcept;

}  // namespace frames
