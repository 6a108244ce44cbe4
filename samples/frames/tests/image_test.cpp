// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Tiles cover a picture of any size exactly once.
#include "samples/frames/image.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace frames {
namespace {

TEST(TileGrid, CoversEveryPixelExactlyOnce) {
  for (const auto& [width, height] : {std::pair{1, 1}, {16, 16}, {17, 15}, {160, 48}, {31, 100}}) {
    std::vector<int> covered(static_cast<std::size_t>(width * height));
    const TileGrid tiles(width, height);
    for (int i = 0; i < tiles.tile_count(); ++i) {
      const Tile tile = tiles[i];
      for (int y = tile.top; y < tile.bottom; ++y) {
        for (int x = tile.left; x < tile.right; ++x)
          ++covered.at(static_cast<std::size_t>(y * width + x));
      }
    }
    EXPECT_EQ(covered, std::vector<int>(covered.size(), 1)) << width << " x " << height;
  }
}

TEST(Image, DiffersWhenOneByteDiffers) {
  Image a(3, 2);
  Image b(3, 2);
  EXPECT_EQ(a, b);
  b.pixel(2, 1)[2] = 1;
  EXPECT_NE(a, b);
}

}  // namespace
}  // namespace frames
