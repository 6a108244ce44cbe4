// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ambient occlusion: the part of the sky that is visible from each vertex of a mesh. Most vertices
// need 16 rays, vertices in folds 256, so the cost of a vertex varies with the folds of the mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/frames/mesh.hpp"
#include "samples/frames/scene.hpp"

namespace aobake {

struct Openness {
  // From 0 (enclosed) to 1 (under the open sky); weighted by the cosine to the normal.
  float value;
  std::uint32_t rays;
  bool operator==(const Openness&) const = default;
};

// Returns one value per vertex; bake() in parallel, bake_serial() by a plain loop. Both return the
// same bits.
std::vector<Openness> bake(const frames::Mesh& mesh, const frames::Scene& scene);
std::vector<Openness> bake_serial(const frames::Mesh& mesh, const frames::Scene& scene);

}  // namespace aobake
