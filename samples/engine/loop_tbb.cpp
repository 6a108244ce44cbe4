// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The main loop by oneTBB: an arena for the frames, and one of low priority for the streaming. ODE
// steps on one thread, beside the characters.
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_for_each.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

#include "samples/engine/game.hpp"
#include "samples/engine/light_map.hpp"
#include "samples/engine/main_loop.hpp"
#include "samples/engine/window.hpp"

namespace engine {
namespace {

class Streaming {
 public:
  explicit Streaming(unsigned workers)
      : arena_(static_cast<int>(workers), 1, tbb::task_arena::priority::low) {}

  void enter(const Level& level) {
    stopped_ = false;
    arena_.execute([&] {
      for (std::size_t i = 0; i < level.size(); ++i) {
        loads_.run([this, i, &file = level[i]] {
          if (!stopped_) loaded_.emplace(i, decode(read_file(file)));
        });
      }
    });
  }
  void leave(Window& window) {
    stopped_ = true;
    finish(window);
  }
  void finish(Window& window) {
    arena_.execute([&] { loads_.wait(); });
    upload(window);
  }
  void upload(Window& window) {
    for (std::pair<std::size_t, Texture> next; loaded_.try_pop(next);)
      window.upload(next.first, next.second);
  }

 private:
  tbb::task_arena arena_;
  tbb::task_group loads_;
  std::atomic<bool> stopped_{false};
  tbb::concurrent_queue<std::pair<std::size_t, Texture>> loaded_;
};

}  // namespace

Played play_with_tbb(const Script& script, unsigned workers) {
  if (workers == 0) workers = static_cast<unsigned>(tbb::info::default_concurrency());
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, workers);
  tbb::task_arena arena(static_cast<int>(workers));
  Game game(tumble::Bodies::Stepped::kByCaller);
  Window window;
  LightMap light_map;
  Streaming streaming(workers);
  streaming.enter(script.levels[0]);
  FrameTimes times(script.rate);

  for (int frame = 0; frame < script.frames; ++frame) {
    times.begin();
    if (frame == script.middle()) {
      streaming.leave(window);
      window.drop_textures();
      streaming.enter(script.levels[1]);
    }
    streaming.upload(window);
    game.begin(frame);
    arena.execute([&] {
      tbb::parallel_invoke([&] { game.step_bodies(); },
                           [&] {
                             tbb::parallel_for_each(game.near_regions(), [&](int region) {
                               game.animate(region);
                               game.cull(region);
                             });
                           });
    });
    game.gather();
    window.present(game.picture());
    times.presented();

    const FrameTimes::Clock::time_point end = times.background_until();
    while (FrameTimes::Clock::now() < end && !light_map.is_complete()) {
      arena.execute([&] {
        light_map.bake_batch([](int count, auto&& texel) { tbb::parallel_for(0, count, texel); });
      });
    }
    std::this_thread::sleep_until(times.deadline());
  }
  streaming.finish(window);
  if (!light_map.is_right()) throw std::runtime_error("the light map is wrong");
  return {"tbb", workers, times, window.pictures(), window.textures(), light_map.done()};
}

}  // namespace engine
