// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The falling bodies; only bodies.hpp and bodies.cpp use ODE. The results have the same bits with
// and without workers, for two reasons: at most 8 iterations (jobs/interop/ode.hpp explains the
// limit), and contacts in the order of the bodies.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "samples/frames/vec3.hpp"

namespace tumble {

// The position of a body: point -> rotation * point + position.
struct Pose {
  frames::Vec3 position;
  std::array<frames::Vec3, 3> rotation;  // rows
};

class Bodies {
 public:
  enum class Stepped : bool { kByCaller, kByWorkers };

  // Boxes with edges of `size`, in layers above the stage. Each has a random rotation, which is the
  // same in every run.
  Bodies(int count, frames::Vec3 size, Stepped stepped);
  ~Bodies();
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  // Steps the world to the next frame. Throws std::runtime_error if ODE fails.
  void advance();
  // Copies the positions. pre: `poses` has one element per body.
  void read(std::vector<Pose>& poses) const;

 private:
  struct World;
  const std::unique_ptr<World> world_;
};

}  // namespace tumble
