// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The bodies that fall: the one file pair that knows ODE. The same bits whether it is stepped by workers or not: at most 8 iterations
// (jobs/interop/ode.hpp says why), and contacts in the order of the bodies.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "samples/frames/vec3.hpp"

namespace tumble {

// Where a body is: point -> rotation * point + position.
struct Pose {
  frames::Vec3 position;
  std::array<frames::Vec3, 3> rotation;  // rows
};

class Bodies {
 public:
  enum class Stepped : bool { kByCaller, kByWorkers };

  // Boxes with edges of `size`, in layers above the stage, each turned by chance, but by the same chance every time.
  Bodies(int count, frames::Vec3 size, Stepped stepped);
  ~Bodies();
  Bodies(const Bodies&) = delete;
  Bodies& operator=(const Bodies&) = delete;

  // To the next frame. Throws std::runtime_error if ODE cannot.
  void advance();
  // pre: `poses` has one for each body.
  void read(std::vector<Pose>& poses) const;

 private:
  struct World;
  const std::unique_ptr<World> world_;
};

}  // namespace tumble
