// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Film: the frames of falling meshes and the five stages of each. The stages are the same code for every runtime, which decides what
// runs when: shoot_in_order() one after the other, shoot_as_graph() and shoot_as_pipeline() several frames at a time.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <vector>

#include "samples/frames/backend.hpp"
#include "samples/frames/image.hpp"
#include "samples/frames/mesh.hpp"
#include "samples/tumble/bodies.hpp"

namespace tumble {

struct Script {
  int frames = 60;
  int bodies = 64;
  int width = 192;
  int height = 144;
  int samples = 8;                          // paths per pixel at most
  std::filesystem::path folder = "tumble";  // of the PNG files
};

enum class Stage : std::uint8_t {
  kMove,    // ODE steps the bodies
  kCull,    // who is in the picture?
  kBuild,   // their meshes go where they are now, and into Embree
  kTrace,   // tiles
  kEncode,  // PNG
};
inline constexpr std::size_t kStages = 5;

struct Interval {
  std::chrono::steady_clock::time_point begin, end;
  bool overlaps(const Interval& other) const { return begin < other.end && other.begin < end; }
};

struct Reel {
  unsigned workers = 1;
  std::vector<frames::Image> frames;
  std::vector<std::array<Interval, kStages>> times;  // by frame and stage
  std::size_t culled = 0;                            // bodies outside the picture, of all frames
};

// `backend` runs the loops. Throws frames::UserError if a file cannot be written.
[[nodiscard]] Reel shoot_in_order(const Script& script, frames::Backend& backend);

// A task graph on so many workers: while a frame is traced, the next one's bodies move and the last one's picture is encoded.
[[nodiscard]] Reel shoot_as_graph(const Script& script, unsigned workers);

// The same as a pipeline: a frame is a token.
[[nodiscard]] Reel shoot_as_pipeline(const Script& script, unsigned workers);

}  // namespace tumble
