// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Window: stands for a window with its graphics context. Only the thread that creates it may use
// it. It shows nothing, but computes a hash of each picture and of each texture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "samples/engine/textures.hpp"
#include "samples/frames/vec3.hpp"

namespace engine {

class Window {
 public:
  void upload(std::size_t texture, const Texture& content) {
    expect_owner();
    if (textures_.size() <= texture) textures_.resize(texture + 1);
    textures_[texture] = hash(std::as_bytes(std::span(content.pixels)));
  }
  // Drops the textures of the level that the player leaves.
  void drop_textures() {
    expect_owner();
    textures_.clear();
  }
  void present(std::span<const frames::Vec3> picture) {
    expect_owner();
    pictures_.push_back(hash(std::as_bytes(picture)));
  }

  const std::vector<std::uint64_t>& pictures() const { return pictures_; }
  const std::vector<std::uint64_t>& textures() const { return textures_; }

 private:
  void expect_owner() const {
    if (std::this_thread::get_id() != owner_)
      throw std::logic_error("the window is used by another thread");
  }
  // FNV-1a on words of eight bytes.
  static std::uint64_t hash(std::span<const std::byte> bytes) {
    std::uint64_t sum = 0xcbf29ce484222325;
    while (!bytes.empty()) {
      std::uint64_t word = 0;
      const std::span<const std::byte> next = bytes.first(std::min(bytes.size(), sizeof(word)));
      std::memcpy(&word, next.data(), next.size());
      sum = (sum ^ word) * 0x100000001b3;
      bytes = bytes.subspan(next.size());
    }
    return sum;
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  std::vector<std::uint64_t> pictures_;
  std::vector<std::uint64_t> textures_;
};

}  // namespace engine
