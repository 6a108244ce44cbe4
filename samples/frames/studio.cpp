// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Floor, lights, sky and camera: the constants of the picture.
#include "samples/frames/studio.hpp"

#include <limits>

namespace frames {
namespace {

constexpr Material kGlaze = {{0.70f, 0.135f, 0.05f}, 0.05f, 0.1f};
constexpr Vec3 kFloorDark = {0.032f, 0.040f, 0.052f};
constexpr Vec3 kFloorLight = {0.070f, 0.080f, 0.095f};
constexpr float kTile = 0.5f;
constexpr float kJoint = 0.006f;
constexpr float kHazeBegins = 2.5f;
constexpr float kHazeComplete = 11.0f;

// Two tones of polished slate with thin, dull joints.
Material floor_material(Vec3 point) {
  const float x = point.x / kTile + 0.5f;
  const float z = point.z / kTile + 0.5f;
  const auto to_joint = [](float t) {
    return std::min(t - std::floor(t), std::ceil(t) - t) * kTile;
  };
  if (std::min(to_joint(x), to_joint(z)) < kJoint) return {kFloorDark * 0.4f, 0.02f, 0.5f};
  const bool is_light =
      (static_cast<int>(std::floor(x)) + static_cast<int>(std::floor(z))) % 2 != 0;
  return {is_light ? kFloorLight : kFloorDark, 0.06f, is_light ? 0.16f : 0.07f};
}

Light aimed(Vec3 centre, Vec3 target, float half_side, Vec3 radiance) {
  const Vec3 facing = normalized(target - centre);
  const Vec3 right = normalized(cross(facing, {0, 1, 0}));
  return {centre, facing, right * half_side, cross(right, facing) * half_side, radiance};
}

float distance_to(const Light& light, const Ray& ray) {
  constexpr float kNone = std::numeric_limits<float>::infinity();
  const float approach = dot(ray.direction, light.facing);
  // Invisible from behind.
  if (approach >= 0) return kNone;
  const float distance = dot(light.centre - ray.origin, light.facing) / approach;
  if (!(distance > 0)) return kNone;
  const Vec3 offset = ray.origin + ray.direction * distance - light.centre;
  const bool inside = std::abs(dot(offset, light.right)) <= dot(light.right, light.right) &&
                      std::abs(dot(offset, light.up)) <= dot(light.up, light.up);
  return inside ? distance : kNone;
}

}  // namespace

Vec3 sky(Vec3 direction) {
  constexpr Vec3 kHorizon = {0.27f, 0.275f, 0.30f};
  constexpr Vec3 kZenith = {0.05f, 0.085f, 0.16f};
  return mix(kHorizon, kZenith, smooth_step(-0.05f, 0.75f, direction.y));
}

const std::array<Light, 2>& lights() {
  static const std::array all = {
      aimed({-2.2f, 2.7f, 2.0f}, {0, 0.4f, 0}, 0.8f, {11.0f, 9.6f, 7.8f}),
      aimed({2.6f, 1.7f, -2.2f}, {0, 0.5f, 0}, 0.9f, {4.0f, 5.8f, 9.0f}),
  };
  return all;
}

Encounter first_encounter(const Scene& scene, const Ray& ray) {
  Encounter result;
  float distance = std::numeric_limits<float>::infinity();
  for (const Light& light : lights()) {
    if (const float d = distance_to(light, ray); d < distance) {
      distance = d;
      result.light = &light;
    }
  }
  const float to_floor = -ray.origin.y / ray.direction.y;
  const bool meets_floor = ray.direction.y < 0 && to_floor > 0 && to_floor < distance;
  if (meets_floor) distance = to_floor;

  if (const auto hit = scene.closest_hit(ray, distance)) {
    result.light = nullptr;
    result.has_surface = true;
    result.surface = {ray.origin + ray.direction * hit->distance, hit->face_normal,
                      hit->smooth_normal, kGlaze, 0};
  } else if (meets_floor) {
    Vec3 point = ray.origin + ray.direction * distance;
    point.y = 0;
    const float haze = smooth_step(kHazeBegins, kHazeComplete, length(point));
    result.light = nullptr;
    result.has_surface = true;
    result.surface = {point, {0, 1, 0}, {0, 1, 0}, haze < 1 ? floor_material(point) : kGlaze, haze};
  }
  return result;
}

Camera studio_camera(int width, int height) {
  constexpr Vec3 kEye = {0.35f, 0.95f, 3.1f};
  constexpr Vec3 kTarget = {0.0f, 0.43f, 0.0f};
  return Camera({kEye, kTarget, 0.46f, 0.012f, length(kTarget - kEye) - 0.25f}, width, height);
}

}  // namespace frames
