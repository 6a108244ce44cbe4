// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The procedural mesh: a tube along a trefoil knot. Its cross-section is a rounded star that turns
// along the tube.
#include <numbers>

#include "samples/frames/mesh.hpp"

namespace frames {
namespace {

constexpr float kTubeRadius = 0.46f;
// In units of the tube's radius.
constexpr float kFluteDepth = 0.16f;
constexpr float kFlutes = 7;
// Whole flutes per round trip, so that the ends meet.
constexpr float kTurns = 9;

constexpr float kTau = 2 * std::numbers::pi_v<float>;

Vec3 spine(float t) {
  return {std::sin(t) + 2 * std::sin(2 * t), std::cos(t) - 2 * std::cos(2 * t),
          -1.15f * std::sin(3 * t)};
}

Vec3 spine_direction(float t) {
  return normalized({std::cos(t) + 4 * std::cos(2 * t), -std::sin(t) + 4 * std::sin(2 * t),
                     -3.45f * std::cos(3 * t)});
}

// Turns the knot slightly, so that the camera sees depth.
Vec3 turned(Vec3 p) {
  constexpr float kAngle = 0.42f;
  const float c = std::cos(kAngle);
  const float s = std::sin(kAngle);
  return {c * p.x + s * p.z, p.y, c * p.z - s * p.x};
}

Vec3 surface(float along, float around) {
  const Vec3 centre = spine(along);
  const Vec3 forward = spine_direction(along);
  // The spine never points along its own radius vector, so this frame is smooth and closed.
  const Vec3 side = normalized(cross(forward, centre));
  const Vec3 up = cross(side, forward);
  const float flute = std::cos(kFlutes * around + kTurns * along);
  const float radius = kTubeRadius * (1 + kFluteDepth * flute * (1 - 0.25f * flute));
  return turned(centre + (side * std::cos(around) + up * std::sin(around)) * radius);
}

}  // namespace

Mesh make_knot(std::uint32_t along, std::uint32_t around) {
  Mesh mesh;
  const auto angle = [](std::uint32_t i, std::uint32_t count) {
    return kTau * static_cast<float>(i) / static_cast<float>(count);
  };
  for (std::uint32_t i = 0; i < along; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      mesh.positions.push_back(surface(angle(i, along), angle(j, around)));
    }
  }
  const auto vertex = [&](std::uint32_t i, std::uint32_t j) {
    return (i % along) * around + j % around;
  };
  for (std::uint32_t i = 0; i < along; ++i) {
    for (std::uint32_t j = 0; j < around; ++j) {
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j), vertex(i + 1, j + 1)});
      mesh.triangles.push_back({vertex(i, j), vertex(i + 1, j + 1), vertex(i, j + 1)});
    }
  }
  return mesh;
}

}  // namespace frames
