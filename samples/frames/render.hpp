// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// One picture by one backend, from the mesh to the pixels, with its cost.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "samples/frames/backend.hpp"
#include "samples/frames/image.hpp"
#include "samples/frames/mesh.hpp"

namespace frames {

using Milliseconds = std::chrono::duration<double, std::milli>;

struct RenderCost {
  Milliseconds build;
  Milliseconds trace;
  std::uint64_t rays;
  std::uint64_t samples;
  // Steals during tracing; empty if the runtime does not report them.
  std::optional<std::uint64_t> steals;
  // The part of workers × time inside tiles.
  double utilisation;
};

// Fills `image`. pre: it has the size of the picture.
RenderCost render(Backend& backend, const Mesh& mesh, int max_samples, Image& image);

}  // namespace frames
