// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The main loop of the engine, written three times: for jobs, for oneTBB, and serially. All three
// play the same script, and show the same pictures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "samples/engine/frame_times.hpp"
#include "samples/engine/textures.hpp"

namespace engine {

// The player enters the second level in the middle of the script, while textures of the first one
// are still on their way. In the frame after the last one, the player quits.
struct Script {
  int frames = 300;
  int rate = 60;  // frames per second
  std::vector<Level> levels;

  int middle() const { return frames / 2; }
};

struct Played {
  std::string name;
  unsigned workers;
  FrameTimes times;
  std::vector<std::uint64_t> pictures;  // hashes
  std::vector<std::uint64_t> textures;  // hashes, of the second level
  std::size_t baked;
};

// 0 workers: one for each usable core.
[[nodiscard]] Played play_with_jobs(const Script& script, unsigned workers);
[[nodiscard]] Played play_with_tbb(const Script& script, unsigned workers);
[[nodiscard]] Played play_serially(const Script& script);

}  // namespace engine
