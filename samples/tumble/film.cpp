// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Frames under way live in slots, which come back when the picture is encoded: so memory does not grow with the film.
#include "samples/tumble/film.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <optional>

#include "jobs/jobs.hpp"
#include "samples/frames/png.hpp"
#include "samples/frames/scene.hpp"
#include "samples/frames/studio.hpp"
#include "samples/frames/tracer.hpp"

namespace tumble {
namespace {

using frames::Mesh;
using frames::Vec3;

constexpr std::size_t kSlots = 3;  // one that moves, one that is traced, one that is encoded
constexpr float kScale = 0.24f;    // of a mesh as place_on_stage() leaves it

// Around its middle, and so large as a body is.
Mesh make_body(Vec3& size) {
  Mesh mesh = frames::make_knot(96, 12);
  frames::place_on_stage(mesh);
  constexpr float kFar = std::numeric_limits<float>::max();
  Vec3 low = {kFar, kFar, kFar};
  Vec3 high = -low;
  for (Vec3& position : mesh.positions) {
    position *= kScale;
    low = min(low, position);
    high = max(high, position);
  }
  for (Vec3& position : mesh.positions) position = position - (low + high) * 0.5f;
  size = high - low;
  return mesh;
}

class Film {
 public:
  Film(const Script& script, frames::Backend& backend, Bodies::Stepped stepped)
      : script_(script),
        backend_(backend),
        body_(make_body(body_size_)),
        bodies_(script.bodies, body_size_, stepped),
        shot_{frames::studio_camera(script.width, script.height), script.samples},
        slots_(kSlots) {
    const auto count = static_cast<std::size_t>(script.bodies);
    for (Slot& slot : slots_) {
      slot.poses.resize(count);
      slot.mesh.positions.resize(count * body_.positions.size());
      slot.mesh.normals.resize(slot.mesh.positions.size());
      for (std::size_t i = 0; i < count; ++i) {
        const auto first = static_cast<std::uint32_t>(i * body_.positions.size());
        for (const auto [a, b, c] : body_.triangles) slot.mesh.triangles.push_back({first + a, first + b, first + c});
      }
    }
    reel_.frames.resize(static_cast<std::size_t>(script.frames), frames::Image(script.width, script.height));
    reel_.times.resize(reel_.frames.size());
  }

  std::size_t frames() const { return reel_.frames.size(); }
  Reel take() && { return std::move(reel_); }

  void run(Stage stage, std::size_t frame) {
    Interval& time = reel_.times[frame][static_cast<std::size_t>(stage)];
    time.begin = std::chrono::steady_clock::now();
    Slot& slot = slots_[frame % kSlots];
    switch (stage) {
      case Stage::kMove:
        bodies_.advance();
        bodies_.read(slot.poses);
        break;
      case Stage::kBuild:
        build(slot);
        break;
      case Stage::kTrace:
        trace(slot, reel_.frames[frame]);
        break;
      case Stage::kEncode:
        frames::write_png(reel_.frames[frame], script_.folder / fmt::format("frame_{:04}.png", frame));
        break;
    }
    time.end = std::chrono::steady_clock::now();
  }

 private:
  struct Slot {
    std::vector<Pose> poses;
    Mesh mesh;  // of all bodies
    std::optional<frames::Scene> scene;
  };

  void build(Slot& slot) {
    backend_.for_each_tile(script_.bodies, [&](int body) {
      const auto i = static_cast<std::size_t>(body);
      const auto& [position, rotation] = slot.poses[i];
      const auto turned = [&rows = rotation](Vec3 v) {
        return Vec3{dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)};
      };
      const std::size_t first = i * body_.positions.size();
      for (std::size_t v = 0; v < body_.positions.size(); ++v) {
        slot.mesh.positions[first + v] = position + turned(body_.positions[v]);
        slot.mesh.normals[first + v] = turned(body_.normals[v]);
      }
    });
    slot.scene.emplace(slot.mesh, backend_.builder_threads());
    backend_.build(*slot.scene);
  }

  void trace(const Slot& slot, frames::Image& image) {
    const frames::TileGrid tiles(image);
    backend_.for_each_tile(tiles.tile_count(), [&](int i) { render_tile(*slot.scene, shot_, tiles[i], image); });
  }

  const Script& script_;
  frames::Backend& backend_;
  Vec3 body_size_;
  const Mesh body_;
  Bodies bodies_;
  const frames::Shot shot_;
  std::vector<Slot> slots_;
  Reel reel_;
};

// Loops and builds of a job that runs already.
class InsideJobs final : public frames::Backend {
 public:
  std::string name() const override { return "jobs"; }
  unsigned worker_count() const override { return jobs::worker_count(); }
  // On a thread of its own, as Embree blocks it; the workers have the frame before to trace meanwhile.
  void build(frames::Scene& scene) override {
    jobs::blocking([&scene] { scene.join_commit(); });
  }
  void for_each_tile(int tile_count, const std::function<void(int)>& render) override {
    jobs::parallel_for(0, tile_count, render, jobs::Grain{1});
  }
};

}  // namespace

Reel shoot_in_order(const Script& script, frames::Backend& backend) {
  Film film(script, backend, Bodies::Stepped::kByCaller);
  for (std::size_t i = 0; i < film.frames(); ++i) {
    for (const Stage stage : {Stage::kMove, Stage::kBuild, Stage::kTrace, Stage::kEncode}) film.run(stage, i);
  }
  Reel reel = std::move(film).take();
  reel.workers = backend.worker_count();
  return reel;
}

//  frame 0   move -> build -> trace -> encode
//              v                v        :
//  frame 1   move -> build -> trace -> encode        : -> move of the frame that takes the slot
Reel shoot_as_graph(const Script& script, unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
  return scheduler.run([&] {
    InsideJobs backend;
    Film film(script, backend, Bodies::Stepped::kByWorkers);
    jobs::TaskGraph graph;
    std::vector<std::array<jobs::TaskGraph::Node, kStages>> nodes;
    for (std::size_t i = 0; i < film.frames(); ++i) {
      const auto add = [&](Stage stage, const char* name) {
        return graph.node([&film, stage, i] { film.run(stage, i); }, name);
      };
      nodes.push_back({add(Stage::kMove, "move"), add(Stage::kBuild, "build"), add(Stage::kTrace, "trace"),
                       add(Stage::kEncode, "encode")});
      const auto& [move, build, trace, encode] = nodes.back();
      move.precede(build);
      build.precede(trace);
      trace.precede(encode);
      if (i >= 1) nodes[i - 1][static_cast<std::size_t>(Stage::kMove)].precede(move);
      if (i >= 1) nodes[i - 1][static_cast<std::size_t>(Stage::kTrace)].precede(trace);
      if (i >= kSlots) nodes[i - kSlots][static_cast<std::size_t>(Stage::kEncode)].precede(move);
    }
    graph.run();
    Reel reel = std::move(film).take();
    reel.workers = jobs::worker_count();
    return reel;
  });
}

}  // namespace tumble
