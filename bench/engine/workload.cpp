// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The main loops of samples/engine, and the check of their results.
#include "bench/engine/workload.hpp"

#include "bench/engine/level_files.hpp"
#include "samples/engine/main_loop.hpp"

namespace bench::engine {
namespace {

constexpr int kFrames = 100;
constexpr int kRate = 125;  // frames per second
constexpr double kNsPerMs = 1e6;

::engine::Script script(int rate) {
  static const LevelFiles files;
  return {.frames = kFrames, .rate = rate, .levels = files.levels()};
}

// No frame depends on the time that it takes. So the expected frames have no time to rest.
const ::engine::Played& expected() {
  constexpr int kHurried = 10'000;
  static const ::engine::Played played = ::engine::play_serially(script(kHurried));
  return played;
}

Figures figures_of(const ::engine::Played& played) {
  if (played.pictures != expected().pictures)
    throw WrongResult("the pictures differ from the serial ones");
  if (played.textures != expected().textures)
    throw WrongResult("the textures differ from the serial ones");
  return {kNsPerMs * played.times.percentile(0.5), kNsPerMs * played.times.percentile(0.99)};
}

}  // namespace

Figures serial(const Conditions&) { return figures_of(::engine::play_serially(script(kRate))); }

Figures on_jobs(const Conditions& conditions) {
  if (conditions.form != Form::kBound) throw WrongResult("only a bound thread has the window");
  return figures_of(::engine::play_with_jobs(script(kRate), conditions.workers));
}

Figures on_tbb(const Conditions& conditions) {
  return figures_of(::engine::play_with_tbb(script(kRate), conditions.workers));
}

}  // namespace bench::engine
