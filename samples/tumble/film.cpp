// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The stages and the three forms of the film. A frame in progress occupies a slot, which becomes
// free after its picture is encoded. Memory therefore does not grow with the film.
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
#include "samples/tumble/progress.hpp"

namespace tumble {
namespace {

using frames::Mesh;
using frames::Vec3;

// One frame moves, one is traced, one is encoded.
constexpr std::size_t kSlots = 3;
// Relative to a mesh after place_on_stage().
constexpr float kScale = 0.24f;

// Creates a body around its centre.
Mesh make_body(std::uint32_t along, std::uint32_t around, Vec3& size) {
  Mesh mesh = frames::make_knot(along, around);
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

// The models of a body: a detailed one, and a coarse one for bodies outside the picture, of which
// only shadows and reflections are visible.
struct Looks {
  Looks() : fine(make_body(96, 12, size)) {
    Vec3 about_the_same;
    coarse = make_body(48, 6, about_the_same);
  }
  const Mesh& of(bool is_seen) const { return is_seen ? fine : coarse; }

  Vec3 size;
  Mesh fine, coarse;
};

class Film {
 public:
  Film(const char* name, const Script& script, frames::Backend& backend, Bodies::Stepped stepped)
      : script_(script),
        backend_(backend),
        fine_(looks_.fine, backend.builder_threads()),
        coarse_(looks_.coarse, fine_),
        bodies_(script.bodies, looks_.size, stepped),
        shot_{frames::studio_camera(script.width, script.height), script.samples},
        slots_(kSlots),
        progress_(name, static_cast<std::size_t>(script.frames)) {
    backend_.build(fine_);
    backend_.build(coarse_);
    for (Slot& slot : slots_) {
      slot.poses.resize(static_cast<std::size_t>(script.bodies));
      slot.parts.resize(slot.poses.size());
    }
    reel_.frames.resize(static_cast<std::size_t>(script.frames),
                        frames::Image(script.width, script.height));
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
      case Stage::kCull:
        // In every form, frames are culled one after the other.
        reel_.culled += cull(slot);
        break;
      case Stage::kBuild:
        build(slot);
        break;
      case Stage::kTrace:
        trace(slot, reel_.frames[frame]);
        break;
      case Stage::kEncode:
        frames::write_png(reel_.frames[frame],
                          script_.folder / fmt::format("frame_{:04}.png", frame));
        progress_.advance();
        break;
    }
    time.end = std::chrono::steady_clock::now();
  }

 private:
  // The part of one body in the mesh of all bodies.
  struct Part {
    bool is_seen;
    std::uint32_t first_position;
    std::uint32_t first_triangle;
  };
  struct Slot {
    std::vector<Pose> poses;
    std::vector<Part> parts;
    Mesh mesh;  // of all bodies
    std::optional<frames::Scene> scene;
  };

  // Returns the number of bodies outside the picture.
  std::size_t cull(Slot& slot) const {
    const float radius = length(looks_.size) / 2;
    std::size_t culled = 0;
    std::uint32_t positions = 0;
    std::uint32_t triangles = 0;
    for (std::size_t i = 0; i < slot.poses.size(); ++i) {
      const bool is_seen = shot_.camera.sees(slot.poses[i].position, radius);
      slot.parts[i] = {is_seen, positions, triangles};
      positions += static_cast<std::uint32_t>(looks_.of(is_seen).positions.size());
      triangles += static_cast<std::uint32_t>(looks_.of(is_seen).triangles.size());
      culled += is_seen ? 0 : 1;
    }
    slot.mesh.positions.resize(positions);
    slot.mesh.normals.resize(positions);
    slot.mesh.triangles.resize(triangles);
    return culled;
  }

  void build(Slot& slot) {
    backend_.for_each_tile(script_.bodies, [&](int body) {
      const auto i = static_cast<std::size_t>(body);
      const auto& [position, rotation] = slot.poses[i];
      const auto turned = [&rows = rotation](Vec3 v) {
        return Vec3{dot(rows[0], v), dot(rows[1], v), dot(rows[2], v)};
      };
      const auto& [is_seen, first, first_triangle] = slot.parts[i];
      const Mesh& look = looks_.of(is_seen);
      for (std::size_t v = 0; v < look.positions.size(); ++v) {
        slot.mesh.positions[first + v] = position + turned(look.positions[v]);
        slot.mesh.normals[first + v] = turned(look.normals[v]);
      }
      for (std::size_t t = 0; t < look.triangles.size(); ++t) {
        const auto [a, b, c] = look.triangles[t];
        slot.mesh.triangles[first_triangle + t] = {first + a, first + b, first + c};
      }
    });
    std::vector<frames::Scene::Instance> instances;
    for (std::size_t i = 0; i < slot.poses.size(); ++i) {
      const auto& [is_seen, first, first_triangle] = slot.parts[i];
      instances.push_back({is_seen ? fine_ : coarse_, slot.poses[i].rotation,
                           slot.poses[i].position, first_triangle});
    }
    slot.scene.emplace(slot.mesh, std::move(instances));
    backend_.build(*slot.scene);
  }

  void trace(const Slot& slot, frames::Image& image) {
    const frames::TileGrid tiles(image);
    backend_.for_each_tile(tiles.tile_count(),
                           [&](int i) { render_tile(*slot.scene, shot_, tiles[i], image); });
  }

  const Script& script_;
  frames::Backend& backend_;
  const Looks looks_;
  frames::Scene fine_, coarse_;
  Bodies bodies_;
  const frames::Shot shot_;
  std::vector<Slot> slots_;
  Progress progress_;
  Reel reel_;
};

// Loops and builds inside a running job.
class InsideJobs final : public frames::Backend {
 public:
  std::string name() const override { return "jobs"; }
  unsigned worker_count() const override { return jobs::worker_count(); }
  // Builds on a separate thread, because Embree blocks it. The workers trace the preceding frame
  // meanwhile.
  void build(frames::Scene& scene) override {
    jobs::blocking([&scene] { scene.join_commit(); });
  }
  void for_each_tile(int tile_count, const std::function<void(int)>& render) override {
    jobs::parallel_for(0, tile_count, render, jobs::Grain{1});
  }
};

Reel finished(Film&& film) {
  Reel reel = std::move(film).take();
  reel.workers = jobs::worker_count();
  return reel;
}

}  // namespace

Reel shoot_in_order(const Script& script, frames::Backend& backend) {
  Film film(backend.name().c_str(), script, backend, Bodies::Stepped::kByCaller);
  for (std::size_t i = 0; i < film.frames(); ++i) {
    for (const Stage stage :
         {Stage::kMove, Stage::kCull, Stage::kBuild, Stage::kTrace, Stage::kEncode})
      film.run(stage, i);
  }
  Reel reel = std::move(film).take();
  reel.workers = backend.worker_count();
  return reel;
}

// The edges of the graph. The end of `encode` frees a slot for the `move` of a later frame.
//
//   frame 0   move -> cull -> build -> trace -> encode
//               v      v                 v        :
//   frame 1   move -> cull -> build -> trace -> encode       : -> move of a later frame
Reel shoot_as_graph(const Script& script, unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
  return scheduler.run([&] {
    InsideJobs backend;
    Film film("jobs", script, backend, Bodies::Stepped::kByWorkers);
    jobs::TaskGraph graph;
    std::vector<std::array<jobs::TaskGraph::Node, kStages>> nodes;
    for (std::size_t i = 0; i < film.frames(); ++i) {
      const auto add = [&](Stage stage, const char* name) {
        return graph.node([&film, stage, i] { film.run(stage, i); }, name);
      };
      nodes.push_back({add(Stage::kMove, "move"), add(Stage::kCull, "cull"),
                       add(Stage::kBuild, "build"), add(Stage::kTrace, "trace"),
                       add(Stage::kEncode, "encode")});
      const auto& [move, cull, build, trace, encode] = nodes.back();
      move.precede(cull);
      cull.precede(build);
      build.precede(trace);
      trace.precede(encode);
      const auto follow = [&](Stage stage) {
        const auto at = static_cast<std::size_t>(stage);
        if (i >= 1) nodes[i - 1][at].precede(nodes[i][at]);
      };
      follow(Stage::kMove);
      follow(Stage::kCull);
      follow(Stage::kTrace);
      if (i >= kSlots) nodes[i - kSlots][static_cast<std::size_t>(Stage::kEncode)].precede(move);
    }
    graph.run();
    return finished(std::move(film));
  });
}

Reel shoot_as_pipeline(const Script& script, unsigned workers) {
  jobs::Scheduler scheduler({.worker_count = workers, .bind_caller = true});
  return scheduler.run([&] {
    InsideJobs backend;
    Film film("pipeline", script, backend, Bodies::Stepped::kByWorkers);
    const auto by = [&film](Stage stage) {
      return [&film, stage](std::size_t frame) {
        film.run(stage, frame);
        return frame;
      };
    };
    std::size_t next = 0;
    jobs::pipeline(
        kSlots,
        [&]() -> std::optional<std::size_t> {
          if (next == film.frames()) return std::nullopt;
          film.run(Stage::kMove, next);
          return next++;
        },
        jobs::in_order(by(Stage::kCull)), jobs::parallel(by(Stage::kBuild)),
        jobs::in_order(by(Stage::kTrace)), jobs::parallel(by(Stage::kEncode)));
    return finished(std::move(film));
  });
}

}  // namespace tumble
