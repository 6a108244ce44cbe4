// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Three floats and the few operations that a path tracer needs. Used for points, directions and
// colours.
#pragma once

#include <algorithm>
#include <cmath>

namespace frames {

struct Vec3 {
  float x = 0, y = 0, z = 0;

  constexpr Vec3& operator+=(Vec3 b) { return *this = {x + b.x, y + b.y, z + b.z}; }
  constexpr Vec3& operator*=(Vec3 b) { return *this = {x * b.x, y * b.y, z * b.z}; }
  constexpr Vec3& operator*=(float s) { return *this = {x * s, y * s, z * s}; }
};

constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr Vec3 operator+(Vec3 a, Vec3 b) { return a += b; }
constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr Vec3 operator*(Vec3 a, Vec3 b) { return a *= b; }
constexpr Vec3 operator*(Vec3 a, float s) { return a *= s; }
constexpr Vec3 operator*(float s, Vec3 a) { return a *= s; }
constexpr Vec3 operator/(Vec3 a, float s) { return a * (1 / s); }

constexpr float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr Vec3 mix(Vec3 a, Vec3 b, float t) { return a * (1 - t) + b * t; }
constexpr Vec3 min(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
constexpr Vec3 max(Vec3 a, Vec3 b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
constexpr float largest(Vec3 a) { return std::max(a.x, std::max(a.y, a.z)); }
constexpr float luminance(Vec3 a) { return dot(a, {0.2126f, 0.7152f, 0.0722f}); }

inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline Vec3 normalized(Vec3 a) { return a / length(a); }

constexpr Vec3 reflected(Vec3 outgoing, Vec3 normal) {
  return normal * (2 * dot(outgoing, normal)) - outgoing;
}

constexpr float smooth_step(float from, float to, float x) {
  const float t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

// Two unit vectors that complete `n` to an orthonormal frame, without a branch on its direction
// except its sign (Duff et al., "Building an Orthonormal Basis, Revisited", 2017).
struct Frame {
  Vec3 tangent, bitangent, normal;

  explicit Frame(Vec3 n) : normal(n) {
    const float sign = std::copysign(1.0f, n.z);
    const float a = -1 / (sign + n.z);
    const float b = n.x * n.y * a;
    tangent = {1 + sign * n.x * n.x * a, sign * b, -sign * n.x};
    bitangent = {b, sign + n.y * n.y * a, -n.y};
  }

  Vec3 to_world(Vec3 v) const { return tangent * v.x + bitangent * v.y + normal * v.z; }
  Vec3 to_local(Vec3 v) const { return {dot(v, tangent), dot(v, bitangent), dot(v, normal)}; }
};

}  // namespace frames
