// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The command line, by CLI11; its errors become errors of this program, one line each.
#include "samples/frames/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "jobs/version.hpp"
#include "samples/frames/user_error.hpp"

namespace frames {
namespace {

constexpr int kMaxSide = 16384;
constexpr int kMaxPixels = 1 << 26;
constexpr int kMaxSamples = 1 << 16;
constexpr unsigned kMaxWorkers = 4096;
constexpr int kMaxRounds = 1000;

void parse_size(const std::string& text, Options& options) {
  int end = 0;
  char beyond = 0;
  const bool well_formed =
      std::sscanf(text.c_str(), "%5dx%5d%n%c", &options.width, &options.height, &end, &beyond) == 2;
  if (!well_formed || text.find_first_not_of("0123456789x") != std::string::npos) {
    throw CLI::ValidationError("--size", "'" + text + "' is not WIDTHxHEIGHT, such as 640x480");
  }
  const auto fits = [](int side) { return side >= 1 && side <= kMaxSide; };
  if (!fits(options.width) || !fits(options.height) ||
      options.width > kMaxPixels / options.height) {
    throw CLI::ValidationError("--size", "'" + text + "' is out of range: each side 1 to " +
                                             std::to_string(kMaxSide) + ", at most " +
                                             std::to_string(kMaxPixels) + " pixels");
  }
}

}  // namespace

std::optional<Options> parse_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Path-traces a mesh by jobs on pinned fibers, by oneTBB and serially. The picture is the "
      "same,\n"
      "byte for byte, for every backend and number of workers; --backend=all checks that.");
  app.set_version_flag("--version", std::string("frames ") + jobs::version());
  app.add_option("--backend", options.backend,
                 "jobs, tbb, serial, or all: render with each, compare pictures and times")
      ->check(CLI::IsMember({"jobs", "tbb", "serial", "all"}))
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that compute; without it, one for each usable core")
      ->check(CLI::Range(1u, kMaxWorkers));
  std::string size = std::to_string(options.width) + "x" + std::to_string(options.height);
  app.add_option("--size", size, "of the picture, in pixels")
      ->type_name("WIDTHxHEIGHT")
      ->capture_default_str();
  app.add_option("--samples", options.samples, "paths per pixel at most; clear pixels take fewer")
      ->check(CLI::Range(1, kMaxSamples))
      ->capture_default_str();
  app.add_option("--rounds", options.rounds,
                 "how often --backend=all renders with jobs and with oneTBB, in turns")
      ->check(CLI::Range(1, kMaxRounds))
      ->capture_default_str();
  app.add_option("--mesh", options.mesh, "an OBJ file, a name from glmark2-data, or 'procedural'")
      ->type_name("PATH|NAME")
      ->capture_default_str();
  app.add_option("--out", options.out, "the PNG file to write")
      ->type_name("FILE")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
    parse_size(size, options);
  } catch (const CLI::Success& wish) {
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UserError(error.what());
  }
  return options;
}

}  // namespace frames
