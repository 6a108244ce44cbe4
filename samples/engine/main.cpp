// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// engine: the main loop of a game engine by jobs, by oneTBB and serially. Compares the pictures and
// textures, and prints how long the frames take.
//
// Exit status: 0; 2 for an error that the user can correct, with one line of explanation; 1 for all
// other errors, such as pictures that differ.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include "samples/engine/main_loop.hpp"
#include "samples/frames/user_error.hpp"

namespace engine {
namespace {

struct Options {
  Script script;
  std::string backend = "all";
  std::filesystem::path textures = "/usr/share/glmark2/textures";
  unsigned workers = 0;
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Plays a game without a window, and prints how long its frames take. Pictures are the same\n"
      "for every backend and number of workers.");
  app.add_option("--backend", options.backend, "jobs, tbb, serial, or all: each in turn, compared")
      ->check(CLI::IsMember({"jobs", "tbb", "serial", "all"}))
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that compute; without it, one for each usable core")
      ->check(CLI::Range(1u, 4096u));
  app.add_option("--frames", options.script.frames)
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  app.add_option("--rate", options.script.rate, "frames per second")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--textures", options.textures, "folder of PNG files")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw frames::UserError(error.what());
  }
  options.script.levels = find_levels(options.textures);
  return options;
}

Played play(const std::string& backend, const Options& options) {
  if (backend == "jobs") return play_with_jobs(options.script, options.workers);
  if (backend == "tbb") return play_with_tbb(options.script, options.workers);
  return play_serially(options.script);
}

void report(const Played& played) {
  const FrameTimes& times = played.times;
  fmt::print("{:<8} {:>7} {:>7.2f} {:>7.2f} {:>7.2f} {:>8.2f} {:>5} {:>6.2f} {:>10}\n", played.name,
             played.workers, times.percentile(0.5), times.percentile(0.9), times.percentile(0.99),
             times.percentile(1), times.late(), times.cpu_per_frame(), played.baked);
  std::fflush(stdout);
}

void play_all(const Options& options) {
  fmt::print("{} frames, {} per second, {} + {} textures\n\n", options.script.frames,
             options.script.rate, options.script.levels[0].size(), options.script.levels[1].size());
  fmt::print("milliseconds of a frame:\n");
  fmt::print("{:<8} {:>7} {:>7} {:>7} {:>7} {:>8} {:>5} {:>6} {:>10}\n", "backend", "workers",
             "median", "90 %", "99 %", "longest", "late", "CPU", "light map");
  std::optional<Played> first;
  for (const std::string backend : {"serial", "tbb", "jobs"}) {
    if (options.backend != "all" && options.backend != backend) continue;
    const Played played = play(backend, options);
    report(played);
    if (!first) first = played;
    if (first->pictures != played.pictures) throw std::runtime_error("the pictures differ");
    if (first->textures != played.textures) throw std::runtime_error("the textures differ");
  }
  if (options.backend == "all") fmt::print("\nall pictures and textures are equal\n");
}

}  // namespace
}  // namespace engine

int main(int argc, char** argv) {
  return frames::run_main("engine", [&] {
    if (const auto options = engine::parse(argc, argv)) engine::play_all(*options);
  });
}
