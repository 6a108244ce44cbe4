// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The picture, 8 bits each for red, green and blue, and its tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace frames {

class Image {
 public:
  Image(int width, int height)
      : width_(width),
        height_(height),
        bytes_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3) {}

  int width() const { return width_; }
  int height() const { return height_; }
  // Returns the first of the pixel's three bytes. Pixels follow one another from left to right,
  // rows from top to bottom.
  std::uint8_t* pixel(int x, int y) { return bytes_.data() + offset(x, y); }
  const std::uint8_t* pixel(int x, int y) const { return bytes_.data() + offset(x, y); }

  bool operator==(const Image&) const = default;

 private:
  std::size_t offset(int x, int y) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
            static_cast<std::size_t>(x)) *
           3;
  }

  int width_;
  int height_;
  std::vector<std::uint8_t> bytes_;
};

struct Tile {
  // `right` and `bottom` are outside.
  int left, top, right, bottom;
};

// Square tiles, row by row. Tiles at the right and the lower border may be smaller.
class TileGrid {
 public:
  static constexpr int kTileSize = 16;

  TileGrid(int width, int height) : width_(width), height_(height) {}
  explicit TileGrid(const Image& image) : TileGrid(image.width(), image.height()) {}

  int tile_count() const { return columns() * ((height_ + kTileSize - 1) / kTileSize); }
  Tile operator[](int index) const {
    const int left = index % columns() * kTileSize;
    const int top = index / columns() * kTileSize;
    return {left, top, std::min(left + kTileSize, width_), std::min(top + kTileSize, height_)};
  }

 private:
  int columns() const { return (width_ + kTileSize - 1) / kTileSize; }

  int width_;
  int height_;
};

}  // namespace frames
