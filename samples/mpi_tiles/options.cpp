// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line, by CLI11; its errors become errors of this program, one line each.
#include "samples/mpi_tiles/options.hpp"

#include <CLI/CLI.hpp>

namespace tiles {

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Computes the frames of an animation by several processes: mpirun -n 4 --bind-to none "
      "mpi_tiles.\nThe files are the same, byte for byte, for every number of processes.");
  app.add_option("--width", options.width, "pixels in a row")->check(CLI::Range(1, 8192));
  app.add_option("--height", options.height, "rows")->check(CLI::Range(1, 8192));
  app.add_option("--frames", options.frames, "number of frames")->check(CLI::Range(1, 10000));
  app.add_option("--out", options.out, "folder of the files")->type_name("FOLDER");
  app.add_option("--dying-process", options.dying_process,
                 "kills this process after its first tiles, to show what happens then");
  app.add_option("--tiles-before-death", options.tiles_before_death,
                 "the number of tiles of one renderer before");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what());
  }
  return options;
}

}  // namespace tiles
