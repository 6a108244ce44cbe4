// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The measurement of the picture.
#include "bench/frames/workload.hpp"

#include "bench/support/stopwatch.hpp"
#include "samples/frames/image.hpp"
#include "samples/frames/mesh.hpp"
#include "samples/frames/studio.hpp"
#include "samples/frames/tracer.hpp"

namespace bench::frames {
namespace {

using ::frames::Image;

struct Size {
  int width;
  int height;
};
constexpr Size kFull = {480, 360};
constexpr Size kQuick = {160, 120};
constexpr int kSamples = 16;

const ::frames::Mesh& knot() {
  static const ::frames::Mesh mesh = ::frames::load_mesh("procedural");
  return mesh;
}

void paint(::frames::Backend& backend, Image& image) {
  const ::frames::TileGrid tiles(image);
  const ::frames::Shot shot{::frames::studio_camera(image.width(), image.height()), kSamples};
  ::frames::Scene scene(knot(), backend.builder_threads());
  backend.build(scene);
  backend.for_each_tile(tiles.tile_count(),
                        [&](int i) { ::frames::render_tile(scene, shot, tiles[i], image); });
}

const Image& expected(Size size) {
  static Image image(0, 0);
  if (image.width() != size.width) {
    image = Image(size.width, size.height);
    paint(*::frames::make_serial_backend(), image);
  }
  return image;
}

}  // namespace

double picture_ns(::frames::Backend& backend, const Conditions& conditions) {
  const Size size = conditions.quick ? kQuick : kFull;
  Image image(size.width, size.height);
  knot();
  const Stopwatch stopwatch;
  paint(backend, image);
  const double ns = stopwatch.elapsed_ns();
  if (image != expected(size)) throw WrongResult("the picture differs from the serial one");
  return ns;
}

}  // namespace bench::frames
