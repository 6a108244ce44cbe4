// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The work itself: path-traces one tile of the picture. Every backend calls this one function, compiled once; it is a
// pure function of its arguments, so tiles may be computed in any order by anyone, and the bytes are the same.
#pragma once

#include <cstdint>

#include "samples/frames/camera.hpp"
#include "samples/frames/image.hpp"
#include "samples/frames/scene.hpp"

namespace frames {

struct Shot {
  Camera camera;
  int max_samples;  // per pixel; fewer where the pixel is certain sooner
};

struct TileCost {
  std::uint64_t rays = 0;
  std::uint64_t samples = 0;
};

// Writes the pixels of `tile`, and nothing else, into `image`. pre: the scene is built; no other call has the same
// tile. Does not block and does not throw. Any rounding and denormal mode of the caller is kept and does not matter.
TileCost render_tile(const Scene& scene, const Shot& shot, const Tile& tile, Image& image) noexcept;

}  // namespace frames
