// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The messages between the coordinator and the renderers. Renderers of process 0 use messages, too.
#include "samples/mpi_tiles/farm.hpp"

#include <signal.h>

#include <chrono>
#include <memory>
#include <span>

#include "jobs/mpi/messages.hpp"
#include "jobs/this_fiber.hpp"

namespace tiles {

namespace {

namespace mpi = jobs::mpi;
using namespace std::chrono_literals;

constexpr int kCoordinator = 0;
constexpr int kNoTile = -1;

// From a renderer: a tile, or kNoTile at first.
constexpr int kDelivery = 0;
struct Delivery {
  int renderer;
  int tile;
  TilePixels pixels;
};

// To renderer i of a process: the number of its next tile, or kNoTile.
constexpr int kOrderOfRenderer = 1;

}  // namespace

void coordinate(const Animation& animation, FrameFiles& files, int renderer_count) {
  const auto delivery = std::make_unique<Delivery>();
  int next = 0;
  while (renderer_count > 0) {
    const mpi::Received got =
        mpi::receive(std::span(delivery.get(), 1), mpi::kAnySource, kDelivery);
    const int order = next < animation.tile_count() ? next++ : kNoTile;
    if (order == kNoTile) --renderer_count;
    mpi::send(std::span(&order, 1), got.source, kOrderOfRenderer + delivery->renderer);
    if (delivery->tile != kNoTile) files.add(delivery->tile, delivery->pixels);
  }
}

void render_tiles(const Animation& animation, int renderer, int most) {
  const auto delivery = std::make_unique<Delivery>();
  delivery->renderer = renderer;
  delivery->tile = kNoTile;
  for (;;) {
    mpi::send(std::span(delivery.get(), 1), kCoordinator, kDelivery);
    mpi::receive(std::span(&delivery->tile, 1), kCoordinator, kOrderOfRenderer + renderer);
    if (most-- == 0) {
      jobs::this_fiber::sleep_for(300ms);  // other renderers complete frames meanwhile
      raise(SIGKILL);
    }
    if (delivery->tile == kNoTile) return;
    animation.render(delivery->tile, delivery->pixels);
  }
}

}  // namespace tiles
