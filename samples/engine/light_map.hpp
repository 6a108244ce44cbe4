// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// LightMap: the background work. It is done bit by bit, in the time that the frames leave.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace engine {

class LightMap {
 public:
  // A batch is the work between two looks at the clock, about half a millisecond on one core.
  static constexpr int kBatch = 64;

  LightMap() : texels_(kTexels) {}

  bool is_complete() const { return done_ == texels_.size(); }
  std::size_t done() const { return done_; }

  // Calls loop(count, f), which must call f(i) for each i in [0, count), in any order.
  template <class Loop>
  void bake_batch(Loop&& loop) {
    loop(kBatch, [this](int i) {
      texels_[done_ + static_cast<std::size_t>(i)] = light_at(done_ + static_cast<std::size_t>(i));
    });
    done_ += kBatch;
  }

  // Returns whether each texel has its value.
  bool is_right() const {
    for (std::size_t i = 0; i < done_; i += 97) {
      if (texels_[i] != light_at(i)) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kTexels = 16 * 1024 * kBatch;

  static float light_at(std::size_t texel) {
    float light = 0;
    for (int ray = 0; ray < 400; ++ray)
      light += std::abs(std::sin(static_cast<float>(texel) * 0.37f + static_cast<float>(ray)));
    return light;
  }

  std::vector<float> texels_;
  std::size_t done_ = 0;
};

}  // namespace engine
