// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The animation: Julia sets whose constant moves on a circle. A pure function of its arguments
// computes each tile, so its bytes do not depend on the process that computes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tiles {

inline constexpr int kTileSize = 32;
// The pixels of one tile, row by row, three bytes each. Tiles at the right and the lower border of
// a frame use a part.
using TilePixels = std::array<std::uint8_t, std::size_t{3} * kTileSize * kTileSize>;

struct Rectangle {
  // `right` and `bottom` are outside.
  int left, top, right, bottom;
};

class Animation {
 public:
  Animation(int width, int height, int frames) : width_(width), height_(height), frames_(frames) {}

  int width() const { return width_; }
  int height() const { return height_; }
  int frame_count() const { return frames_; }
  int tiles_per_frame() const { return columns() * ((height_ + kTileSize - 1) / kTileSize); }
  // The tiles of all frames have one number each, in the order of the frames.
  int tile_count() const { return frames_ * tiles_per_frame(); }
  int frame_of(int tile) const { return tile / tiles_per_frame(); }
  Rectangle rectangle_of(int tile) const;

  // Computes a tile. Idle workers help: its rows are a loop.
  void render(int tile, TilePixels& pixels) const;

 private:
  int columns() const { return (width_ + kTileSize - 1) / kTileSize; }

  int width_;
  int height_;
  int frames_;
};

}  // namespace tiles
