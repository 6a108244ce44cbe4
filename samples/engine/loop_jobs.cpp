// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The main loop by jobs. The main thread is a worker: it owns the window, and computes while it
// waits.
#include <cstddef>
#include <stdexcept>
#include <stop_token>
#include <utility>
#include <vector>

#include "jobs/jobs.hpp"
#include "samples/engine/game.hpp"
#include "samples/engine/light_map.hpp"
#include "samples/engine/main_loop.hpp"
#include "samples/engine/window.hpp"

namespace engine {
namespace {

// Loads the textures of a level: a job reads the files, other jobs decode them, and the main thread
// uploads them.
class Streaming {
 public:
  explicit Streaming(Window& window) : window_(window) {}
  // The jobs refer to this object, also after an error has ended the loop.
  ~Streaming() {
    try {
      leave();
    } catch (...) {  // The loop ends by an error already, or finish() has thrown this one.
    }
  }
  Streaming(const Streaming&) = delete;
  Streaming& operator=(const Streaming&) = delete;

  void enter(const Level& level) {
    stop_ = std::stop_source();
    jobs::spawn(textures_, [this, &level, stop = stop_.get_token()] { load(level, stop); });
  }
  // Drops the files that are not decoded yet.
  void leave() {
    stop_.request_stop();
    finish();
  }
  void finish() { textures_.wait(); }

 private:
  void load(const Level& level, const std::stop_token& stop) {
    for (std::size_t i = 0; i < level.size() && !stop.stop_requested(); ++i) {
      std::vector<std::byte> bytes = jobs::blocking([&] { return read_file(level[i]); });
      // Not on the main thread, because a frame could wait for it meanwhile; after other jobs.
      jobs::spawn(textures_, [=, this, bytes = std::move(bytes)] { decode_one(i, bytes, stop); },
                  {.on = jobs::not_main_thread, .priority = jobs::Priority::kLow});
    }
  }
  void decode_one(std::size_t i, const std::vector<std::byte>& bytes, const std::stop_token& stop) {
    if (stop.stop_requested()) return;
    jobs::spawn(textures_, [this, i, texture = decode(bytes)] { window_.upload(i, texture); },
                {.on = jobs::main_thread});
  }

  Window& window_;
  std::stop_source stop_;
  jobs::Counter textures_;
};

void build_frame(jobs::TaskGraph& graph, Game& game) {
  graph.clear();  // keeps the memory
  const auto bodies = graph.node([&] { game.step_bodies(); }, "bodies");
  const auto gather = graph.node([&] { game.gather(); }, "gather");
  bodies.precede(gather);
  for (const int region : game.near_regions()) {
    const auto animate = graph.node([&game, region] { game.animate(region); }, "animate");
    const auto cull = graph.node([&game, region] { game.cull(region); }, "cull");
    animate.precede(cull);
    cull.precede(gather);
  }
}

}  // namespace

Played play_with_jobs(const Script& script, unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
  Game game(tumble::Bodies::Stepped::kByWorkers);
  Window window;
  LightMap light_map;
  jobs::TaskGraph graph;
  Streaming streaming(window);
  streaming.enter(script.levels[0]);
  FrameTimes times(script.rate);

  for (int frame = 0; frame < script.frames; ++frame) {
    times.begin();
    if (frame == script.middle()) {
      streaming.leave();
      window.drop_textures();
      streaming.enter(script.levels[1]);
    }
    game.begin(frame);
    build_frame(graph, game);
    graph.run();  // meanwhile, this thread runs nodes, and uploads textures
    window.present(game.picture());
    times.presented();

    const auto end = times.background_until();
    while (FrameTimes::Clock::now() < end && !light_map.is_complete()) {
      light_map.bake_batch(
          [](int count, auto&& texel) { jobs::parallel_for(0, count, texel, jobs::Grain(8)); });
    }
    jobs::this_fiber::sleep_until(times.deadline());  // uploads go on
  }

  // The player quits while the frame is computed: nodes that have not begun are left out.
  std::stop_source quit;
  game.begin(script.frames);
  build_frame(graph, game);
  const auto gather = graph.node([&] { window.present(game.picture()); }, "late");
  graph.node([&] { quit.request_stop(); }, "quit").precede(gather);
  try {
    graph.run(quit.get_token());
    throw std::logic_error("the last frame was shown");
  } catch (const jobs::Cancelled&) {
  }
  streaming.finish();
  if (!light_map.is_right()) throw std::runtime_error("the light map is wrong");
  return {"jobs",          scheduler.worker_count(), times, window.pictures(), window.textures(),
          light_map.done()};
}

}  // namespace engine
