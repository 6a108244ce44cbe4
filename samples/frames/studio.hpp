// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The photographer's studio around the mesh: an endless polished floor, two square lights, the sky, and what the
// things are made of.
#pragma once

#include <array>

#include "samples/frames/camera.hpp"
#include "samples/frames/scene.hpp"

namespace frames {

// A coloured ground under a clear coat: part of the light is mirrored by the coat, the rest is scattered by the ground.
struct Material {
  Vec3 colour;
  float coat;       // part of the light that the coat mirrors when seen from straight above
  float roughness;  // of the coat; 0 would be a perfect mirror
};

struct Surface {
  Vec3 point;
  Vec3 face_normal;
  Vec3 normal;
  Material material;
  float haze;  // 0 … 1: how much of it has gone over into the backdrop
};

// A square that shines to the side of `facing`.
struct Light {
  Vec3 centre;
  Vec3 facing;
  Vec3 right, up;  // from the centre to the middle of an edge
  Vec3 radiance;

  float area() const { return 4 * length(right) * length(up); }
  Vec3 point(Pair at) const { return centre + right * (2 * at.u - 1) + up * (2 * at.v - 1); }
};

// The key light from the front, warm, and a cool one from behind that draws the outline.
[[nodiscard]] const std::array<Light, 2>& lights();

[[nodiscard]] Vec3 sky(Vec3 direction);

// The nearest thing on the way of the ray; `light` if it is one of lights(), else `surface`; neither: the sky.
struct Encounter {
  const Light* light = nullptr;
  bool has_surface = false;
  Surface surface;
};
[[nodiscard]] Encounter first_encounter(const Scene& scene, const Ray& ray);

[[nodiscard]] Camera studio_camera(int width, int height);

}  // namespace frames
