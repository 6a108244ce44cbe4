// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A camera with a thin lens: objects out of focus are slightly soft.
#pragma once

#include <numbers>

#include "samples/frames/sampler.hpp"
#include "samples/frames/scene.hpp"

namespace frames {

class Camera {
 public:
  struct Placement {
    Vec3 eye;
    Vec3 target;
    // In radians, of the shorter side of the picture.
    float view_angle;
    // 0: everything is sharp.
    float lens_radius;
    // The distance from the eye.
    float focus;
  };

  Camera(const Placement& placement, int width, int height)
      : placement_(placement), width_(width), height_(height) {
    forward_ = normalized(placement.target - placement.eye);
    right_ = normalized(cross(forward_, {0, 1, 0}));
    up_ = cross(right_, forward_);
    pixel_size_ =
        2 * std::tan(placement.view_angle / 2) / static_cast<float>(std::min(width, height));
  }

  // Returns a ray through the pixel (x, y) of the picture. The numbers of both pairs are in [0, 1).
  Ray ray(int x, int y, Pair in_pixel, Pair on_lens) const {
    const float across =
        (static_cast<float>(x) + in_pixel.u - static_cast<float>(width_) / 2) * pixel_size_;
    const float down =
        (static_cast<float>(y) + in_pixel.v - static_cast<float>(height_) / 2) * pixel_size_;
    const Vec3 in_focus = (forward_ + right_ * across - up_ * down) * placement_.focus;
    const float radius = placement_.lens_radius * std::sqrt(on_lens.u);
    const float angle = 2 * std::numbers::pi_v<float> * on_lens.v;
    const Vec3 lens = right_ * (radius * std::cos(angle)) + up_ * (radius * std::sin(angle));
    return {placement_.eye + lens, normalized(in_focus - lens)};
  }

  // Returns false only if no ray() comes near enough to `centre` to see any part of a ball there.
  bool sees(Vec3 centre, float radius) const {
    const Vec3 to_centre = centre - placement_.eye;
    const float depth = dot(to_centre, forward_);
    const float reach = radius + placement_.lens_radius;
    const auto is_within = [&](Vec3 side, int pixels) {
      const float slope = static_cast<float>(pixels) / 2 * pixel_size_;
      return std::abs(dot(to_centre, side)) - depth * slope <= reach * std::sqrt(1 + slope * slope);
    };
    return depth >= -reach && is_within(right_, width_) && is_within(up_, height_);
  }

 private:
  Placement placement_;
  int width_;
  int height_;
  float pixel_size_ = 0;  // in the plane at distance 1
  Vec3 forward_, right_, up_;
};

}  // namespace frames
