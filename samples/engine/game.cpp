// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The stages of a frame. They do not depend on the library that runs them.
#include "samples/engine/game.hpp"

#include <cmath>
#include <cstddef>

#include "jobs/algorithm/random_at.hpp"

namespace engine {

using frames::Vec3;

namespace {

constexpr float kSight = 60;
constexpr float kCosineOfView = 0.6f;

}  // namespace

Game::Game(tumble::Bodies::Stepped stepped)
    : bodies_(kBodies, {0.5f, 0.4f, 0.3f}, stepped), poses_(kBodies) {
  const jobs::RandomAt random(2026);
  std::uint64_t drawn = 0;
  const auto in_region = [&] { return static_cast<float>(random.real(drawn++) - 0.5) * kRegion; };
  for (int i = 0; i < kSide * kSide; ++i) {
    Region region;
    region.centre = {static_cast<float>(i % kSide - kSide / 2) * kRegion, 0,
                     static_cast<float>(i / kSide - kSide / 2) * kRegion};
    for (int k = 0; k < kCharacters; ++k)
      region.characters.push_back({region.centre + Vec3{in_region(), 0, in_region()}, {}});
    regions_.push_back(std::move(region));
  }
}

void Game::begin(int frame) {
  frame_ = frame;
  const float angle = static_cast<float>(frame) * 0.01f;
  eye_ = Vec3{std::cos(angle), 0.05f, std::sin(angle)} * 40;
  forward_ = {-std::sin(angle), 0, std::cos(angle)};
  near_.clear();
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    if (frames::length(regions_[i].centre - eye_) < kSight) near_.push_back(static_cast<int>(i));
  }
}

void Game::step_bodies() {
  bodies_.advance();
  bodies_.read(poses_);
}

void Game::animate(int region) {
  for (Character& character : regions_[static_cast<std::size_t>(region)].characters) {
    Vec3 joint = character.position;
    float angle = static_cast<float>(frame_) * 0.1f + joint.x;
    for (Vec3& bone : character.bones) {
      joint += Vec3{std::sin(angle), 1, std::cos(angle)} * 0.1f;
      angle += std::sin(angle) * 0.3f;
      bone = joint;
    }
  }
}

void Game::cull(int region) {
  Region& in = regions_[static_cast<std::size_t>(region)];
  in.visible.clear();
  for (std::size_t i = 0; i < in.characters.size(); ++i) {
    if (sees(in.characters[i].bones.front())) in.visible.push_back(static_cast<int>(i));
  }
}

void Game::gather() {
  picture_.clear();
  for (const int i : near_) {
    const Region& region = regions_[static_cast<std::size_t>(i)];
    for (const int visible : region.visible) {
      const Character& character = region.characters[static_cast<std::size_t>(visible)];
      picture_.insert(picture_.end(), character.bones.begin(), character.bones.end());
    }
  }
  for (const tumble::Pose& pose : poses_) picture_.push_back(pose.position);
}

bool Game::sees(Vec3 point) const {
  const Vec3 to_point = point - eye_;
  const float distance = frames::length(to_point);
  return distance < kSight && frames::dot(to_point, forward_) > kCosineOfView * distance;
}

}  // namespace engine
