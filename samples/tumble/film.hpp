// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Film: the frames of falling meshes, and the five stages of each frame. All runtimes share the
// code of the stages and decide on their order: shoot_in_order() runs one after the other;
// shoot_as_graph() and shoot_as_pipeline() run several frames at a time.
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
  // The maximum of paths per pixel.
  int samples = 8;
  // The folder of the PNG files.
  std::filesystem::path folder = "tumble";
};

enum class Stage : std::uint8_t {
  kMove,    // ODE steps the bodies
  kCull,    // decides which bodies are in the picture
  kBuild,   // moves the meshes to their positions and into Embree
  kTrace,   // traces tiles
  kEncode,  // writes a PNG file
};
inline constexpr std::size_t kStages = 5;

struct Interval {
  std::chrono::steady_clock::time_point begin, end;
  bool overlaps(const Interval& other) const { return begin < other.end && other.begin < end; }
};

struct Reel {
  unsigned workers = 1;
  std::vector<frames::Image> frames;
  // By frame and stage.
  std::vector<std::array<Interval, kStages>> times;
  // Bodies outside the picture, summed over all frames.
  std::size_t culled = 0;
};

// Runs the loops on `backend`. Throws frames::UserError if a file cannot be written.
[[nodiscard]] Reel shoot_in_order(const Script& script, frames::Backend& backend);

// Runs a task graph on `workers` workers. While a frame is traced, the bodies of the next one move,
// and the picture of the last one is encoded.
[[nodiscard]] Reel shoot_as_graph(const Script& script, unsigned workers);

// The same as a pipeline: a frame is a token.
[[nodiscard]] Reel shoot_as_pipeline(const Script& script, unsigned workers);

}  // namespace tumble
