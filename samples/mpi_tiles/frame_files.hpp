// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The frames as files. A file appears under its name when its frame is complete, and not before: a
// run that ends early leaves whole frames.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <vector>

#include "samples/mpi_tiles/animation.hpp"

namespace tiles {

class FrameFiles {
 public:
  // Creates the folder. Throws std::filesystem::filesystem_error.
  FrameFiles(const Animation& animation, std::filesystem::path folder);

  // Adds a tile, and writes the frame if it is complete. One fiber at a time. Throws
  // std::runtime_error.
  void add(int tile, const TilePixels& pixels);

  // Any thread, also a handler of signals.
  int complete_count() const { return complete_.load(std::memory_order_relaxed); }

 private:
  struct Frame {
    std::vector<std::uint8_t> bytes;
    int missing_tiles;
  };

  void write(int frame, const std::vector<std::uint8_t>& bytes) const;

  const Animation& animation_;
  const std::filesystem::path folder_;
  std::map<int, Frame> begun_;
  // Relaxed: a figure for people.
  std::atomic<int> complete_{0};
};

}  // namespace tiles
