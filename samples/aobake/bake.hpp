// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Ambient occlusion: how much of the sky above each vertex of a mesh is open. In most places 16 rays tell; in folds it takes 256,
// so the work is as skewed as the mesh is folded.
#pragma once

#include <cstdint>
#include <vector>

#include "samples/frames/mesh.hpp"
#include "samples/frames/scene.hpp"

namespace aobake {

struct Openness {
  float value;  // 0 enclosed, 1 under the open sky; weighted by the cosine to the normal
  std::uint32_t rays;
  bool operator==(const Openness&) const = default;
};

// One for each vertex; in parallel, and by a plain loop. Both give the same bits.
std::vector<Openness> bake(const frames::Mesh& mesh, const frames::Scene& scene);
std::vector<Openness> bake_serial(const frames::Mesh& mesh, const frames::Scene& scene);

}  // namespace aobake
