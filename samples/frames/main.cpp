// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// frames: a picture of a mesh, path-traced by jobs on pinned fibers, by oneTBB and serially.
//
// Exit status: 0; 2 for an error that the user can correct, with one line of explanation; 1 for all
// other errors, such as pictures that differ.
#include <fmt/format.h>

#include "samples/frames/compare.hpp"
#include "samples/frames/mesh.hpp"
#include "samples/frames/options.hpp"
#include "samples/frames/png.hpp"
#include "samples/frames/user_error.hpp"

int main(int argc, char** argv) {
  return frames::run_main("frames", [&] {
    const auto options = frames::parse_options(argc, argv);
    if (!options) return;
    frames::check_writable(options->out);
    const frames::Mesh mesh = frames::load_mesh(options->mesh);
    fmt::print("{}: {} triangles, {} x {} pixels, at most {} paths each\n", options->mesh,
               mesh.triangles.size(), options->width, options->height, options->samples);
    const frames::Image image = frames::render_and_report(mesh, *options);
    frames::write_png(image, options->out);
    fmt::print("wrote {}\n", options->out.string());
  });
}
