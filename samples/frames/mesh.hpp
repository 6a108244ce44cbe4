// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A triangle mesh with smooth normals, placed on the floor in the middle of the stage: from an OBJ
// file, or procedural.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "samples/frames/vec3.hpp"

namespace frames {

using Triangle = std::array<std::uint32_t, 3>;

struct Mesh {
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;  // one per position
  std::vector<Triangle> triangles;
};

// Loads a mesh. `name` is "procedural", the path of an OBJ file, or the name of a mesh in Debian's
// glmark2-data (such as "bunny"). Throws UserError if there is no such mesh, or if it is broken or
// empty.
[[nodiscard]] Mesh load_mesh(const std::string& name);

// Creates a fluted trefoil knot, the mesh of this project's own picture, with these numbers of
// vertices along the tube and around it.
[[nodiscard]] Mesh make_knot(std::uint32_t along = 1536, std::uint32_t around = 128);

// Scales the mesh to the stage, puts it on the floor (y = 0), drops triangles without area, and
// computes the normals. pre: all positions finite, all indices valid.
void place_on_stage(Mesh& mesh);

}  // namespace frames
