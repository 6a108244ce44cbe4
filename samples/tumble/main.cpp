// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// tumble: falling meshes, frame by frame: serially, by oneTBB, as a task graph of jobs, and as a
// pipeline. Compares all frames.
//
// Exit status: 0; 2 for an error that the user can correct, with one line of explanation; 1 for all
// other errors, such as frames that differ.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include "samples/frames/backend.hpp"
#include "samples/frames/user_error.hpp"
#include "samples/tumble/film.hpp"

namespace tumble {
namespace {

struct Options {
  Script script;
  std::string backend = "all";
  unsigned workers = 0;  // 0: the runtime decides
};

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Renders meshes that fall. Frames are the same, byte for byte, for every backend and number "
      "of workers.");
  app.add_option(
         "--backend", options.backend,
         "jobs (a task graph), pipeline, tbb, serial, or all: each in turn, frames compared")
      ->check(CLI::IsMember({"jobs", "pipeline", "tbb", "serial", "all"}))
      ->capture_default_str();
  app.add_option("--workers", options.workers,
                 "threads that compute; without it, one for each usable core")
      ->check(CLI::Range(1u, 4096u));
  app.add_option("--frames", options.script.frames)
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  app.add_option("--bodies", options.script.bodies)
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--width", options.script.width)
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--height", options.script.height)
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_option("--samples", options.script.samples, "paths per pixel at most")
      ->check(CLI::Range(1, 65'536))
      ->capture_default_str();
  app.add_option("--out", options.script.folder, "folder for the PNG files, made if need be")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {
    app.exit(wish);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw frames::UserError(error.what());
  }
  return options;
}

using Seconds = std::chrono::duration<double>;

double stage_ms(const Reel& reel, Stage stage) {
  double sum = 0;
  for (const auto& times : reel.times) {
    const Interval& time = times[static_cast<std::size_t>(stage)];
    sum += Seconds(time.end - time.begin).count() * 1e3;
  }
  return sum / static_cast<double>(reel.times.size());
}

double wall_seconds(const Reel& reel) {
  auto last = reel.times.front().front().end;
  for (const auto& times : reel.times) last = std::max(last, times.back().end);
  return Seconds(last - reel.times.front().front().begin).count();
}

// Returns the number of frames that went through `stage` while another frame was traced.
int beside_trace(const Reel& reel, Stage stage) {
  const auto at = [](Stage which) { return static_cast<std::size_t>(which); };
  int count = 0;
  for (std::size_t i = 0; i < reel.times.size(); ++i) {
    bool found = false;
    for (std::size_t k = 0; k < reel.times.size(); ++k)
      found |= k != i && reel.times[i][at(stage)].overlaps(reel.times[k][at(Stage::kTrace)]);
    count += found ? 1 : 0;
  }
  return count;
}

void report(const std::string& name, const Reel& reel) {
  fmt::print("{:<8}  {:7}  {:7.1f}  {:7.3f}  {:8.1f}  {:8.1f}  {:9.1f}  {:7.2f} s\n", name,
             reel.workers, stage_ms(reel, Stage::kMove), stage_ms(reel, Stage::kCull),
             stage_ms(reel, Stage::kBuild), stage_ms(reel, Stage::kTrace),
             stage_ms(reel, Stage::kEncode), wall_seconds(reel));
  std::fflush(stdout);
}

void compare(const Reel& first, const Reel& next, const std::string& name) {
  for (std::size_t i = 0; i < first.frames.size(); ++i) {
    if (first.frames[i] != next.frames[i])
      throw std::runtime_error(fmt::format("frame {} of {} differs from the first one's", i, name));
  }
}

Reel shoot_by(const std::string& name, const Options& options) {
  if (name == "jobs") return shoot_as_graph(options.script, options.workers);
  if (name == "pipeline") return shoot_as_pipeline(options.script, options.workers);
  const auto backend =
      name == "tbb" ? frames::make_tbb_backend(options.workers) : frames::make_serial_backend();
  return shoot_in_order(options.script, *backend);
}

void shoot(const Options& options) {
  const Script& script = options.script;
  std::error_code error;
  std::filesystem::create_directories(script.folder, error);
  fmt::print("{} frames of {} bodies, {} x {} pixels, at most {} paths each\n", script.frames,
             script.bodies, script.width, script.height, script.samples);
  fmt::print("\nbackend   workers  move ms  cull ms  build ms  trace ms  encode ms       all\n");
  std::optional<Reel> first;
  std::string beside;
  for (const std::string name : {"serial", "tbb", "jobs", "pipeline"}) {
    if (options.backend != "all" && options.backend != name) continue;
    Reel reel = shoot_by(name, options);
    report(name, reel);
    if (name == "jobs" || name == "pipeline") {
      beside += fmt::format(
          "{}: while another frame was traced, bodies of {} frames moved, {} were built, {} "
          "encoded, of {}\n",
          name, beside_trace(reel, Stage::kMove), beside_trace(reel, Stage::kBuild),
          beside_trace(reel, Stage::kEncode), script.frames);
    }
    if (first) {
      compare(*first, reel, name);
    } else {
      first = std::move(reel);
    }
  }
  fmt::print(
      "\n{}of the bodies, {:.0f} % were outside the picture: built coarsely, for their shadows and "
      "reflections\n",
      beside,
      100.0 * static_cast<double>(first->culled) /
          static_cast<double>(script.frames * script.bodies));
  if (options.backend == "all") fmt::print("all frames are equal, byte for byte\n");
  fmt::print("wrote {}\n", (script.folder / "frame_*.png").string());
}

}  // namespace
}  // namespace tumble

int main(int argc, char** argv) {
  return frames::run_main("tumble", [&] {
    if (const auto options = tumble::parse(argc, argv)) tumble::shoot(*options);
  });
}
