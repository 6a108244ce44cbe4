// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The photographer's studio around the mesh: an endless polished floor, two square lights, the sky,
// and the materials of the objects.
#pragma once

#include <array>

#include "samples/frames/camera.hpp"
#include "samples/frames/scene.hpp"

namespace frames {

// A coloured ground under a clear coat: the coat mirrors a part of the light, and the ground
// scatters the rest.
struct Material {
  Vec3 colour;
  // The part of the light that the coat mirrors when seen from straight above.
  float coat;
  // The roughness of the coat; 0 is a perfect mirror.
  float roughness;
};

struct Surface {
  Vec3 point;
  Vec3 face_normal;
  Vec3 normal;
  Material material;
  // From 0 to 1: the part that has blended into the backdrop.
  float haze;
};

// A square that shines to the side of `facing`.
struct Light {
  Vec3 centre;
  Vec3 facing;
  // From the centre to the middle of an edge.
  Vec3 right, up;
  Vec3 radiance;

  float area() const { return 4 * length(right) * length(up); }
  Vec3 point(Pair at) const { return centre + right * (2 * at.u - 1) + up * (2 * at.v - 1); }
};

// Returns the warm key light from the front, and a cool light from behind that draws the outline.
[[nodiscard]] const std::array<Light, 2>& lights();

[[nodiscard]] Vec3 sky(Vec3 direction);

// The nearest object on the way of the ray: `light` for one of lights(), otherwise `surface`.
// Neither means the sky.
struct Encounter {
  const Light* light = nullptr;
  bool has_surface = false;
  Surface surface;
};
[[nodiscard]] Encounter first_encounter(const Scene& scene, const Ray& ray);

[[nodiscard]] Camera studio_camera(int width, int height);

}  // namespace frames
