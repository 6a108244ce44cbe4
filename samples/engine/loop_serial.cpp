// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The main loop on one thread. Each frame loads one texture.
#include <stdexcept>
#include <thread>

#include "samples/engine/game.hpp"
#include "samples/engine/light_map.hpp"
#include "samples/engine/main_loop.hpp"
#include "samples/engine/window.hpp"

namespace engine {

Played play_serially(const Script& script) {
  Game game(tumble::Bodies::Stepped::kByCaller);
  Window window;
  LightMap light_map;
  const Level* level = &script.levels[0];
  std::size_t loaded = 0;
  FrameTimes times(script.rate);
  const auto load_next = [&] {
    window.upload(loaded, decode(read_file((*level)[loaded])));
    ++loaded;
  };

  for (int frame = 0; frame < script.frames; ++frame) {
    times.begin();
    if (frame == script.middle()) {
      window.drop_textures();
      level = &script.levels[1];
      loaded = 0;
    }
    if (loaded < level->size()) load_next();
    game.begin(frame);
    game.step_bodies();
    for (const int region : game.near_regions()) {
      game.animate(region);
      game.cull(region);
    }
    game.gather();
    window.present(game.picture());
    times.presented();

    const FrameTimes::Clock::time_point end = times.background_until();
    while (FrameTimes::Clock::now() < end && !light_map.is_complete()) {
      light_map.bake_batch([](int count, auto&& texel) {
        for (int i = 0; i < count; ++i) texel(i);
      });
    }
    std::this_thread::sleep_until(times.deadline());
  }
  while (loaded < level->size()) load_next();
  if (!light_map.is_right()) throw std::runtime_error("the light map is wrong");
  return {"serial", 1, times, window.pictures(), window.textures(), light_map.done()};
}

}  // namespace engine
