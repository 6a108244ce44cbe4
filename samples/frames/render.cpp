// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Builds, then traces; measures each step.
#include "samples/frames/render.hpp"

#include "samples/frames/progress.hpp"
#include "samples/frames/studio.hpp"
#include "samples/frames/tracer.hpp"

namespace frames {

RenderCost render(Backend& backend, const Mesh& mesh, int max_samples, Image& image) {
  using Clock = std::chrono::steady_clock;
  const TileGrid tiles(image);
  const Shot shot{studio_camera(image.width(), image.height()), max_samples};
  Scene scene(mesh, backend.builder_threads());

  const auto build_begin = Clock::now();
  backend.build(scene);
  const Milliseconds build = Clock::now() - build_begin;

  Tally tally;
  const auto steals_before = backend.steal_count();
  Milliseconds trace;
  {
    const ProgressBar bar(backend, tally, tiles.tile_count());
    const auto trace_begin = Clock::now();
    backend.for_each_tile(tiles.tile_count(), [&](int i) {
      const auto tile_begin = Clock::now();
      const TileCost cost = render_tile(scene, shot, tiles[i], image);
      tally.add(cost, Clock::now() - tile_begin);
    });
    trace = Clock::now() - trace_begin;
  }
  std::optional<std::uint64_t> steals;
  if (steals_before) steals = *backend.steal_count() - *steals_before;
  return {.build = build,
          .trace = trace,
          .rays = tally.rays(),
          .samples = tally.samples(),
          .steals = steals,
          .utilisation = Milliseconds(tally.busy()) / (trace * backend.worker_count())};
}

}  // namespace frames
