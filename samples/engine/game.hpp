// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The game: characters in the regions of a level, falling bodies, and a camera that walks around.
// Each stage of a frame is a function. The main loops call the stages in the order given here; they
// may call stages of different regions, and step_bodies(), concurrently.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "samples/frames/vec3.hpp"
#include "samples/tumble/bodies.hpp"

namespace engine {

class Game {
 public:
  explicit Game(tumble::Bodies::Stepped stepped);

  // 1. Moves the camera, and selects the regions near it. Each frame has other regions.
  void begin(int frame);
  std::span<const int> near_regions() const { return near_; }
  // 2. Steps the bodies to the next frame, in 8 sub-steps.
  void step_bodies();
  // 2. Computes the bones of the characters of a region near the camera.
  void animate(int region);
  // 3. Lists the characters of an animated region that the camera sees.
  void cull(int region);
  // 4. Lists what the camera sees, in an order that no timing changes. After all other stages.
  void gather();

  // The bones and bodies to draw.
  std::span<const frames::Vec3> picture() const { return picture_; }

 private:
  static constexpr int kSide = 8;  // regions per side of the level
  static constexpr float kRegion = 20;
  static constexpr int kCharacters = 400;  // per region
  static constexpr int kBones = 20;
  static constexpr int kBodies = 64;

  struct Character {
    frames::Vec3 position;
    std::array<frames::Vec3, kBones> bones;
  };
  struct Region {
    frames::Vec3 centre;
    std::vector<Character> characters;
    std::vector<int> visible;
  };

  bool sees(frames::Vec3 point) const;

  int frame_ = 0;
  frames::Vec3 eye_;
  frames::Vec3 forward_;
  std::vector<Region> regions_;
  std::vector<int> near_;
  tumble::Bodies bodies_;
  std::vector<tumble::Pose> poses_;
  std::vector<frames::Vec3> picture_;
};

}  // namespace engine
