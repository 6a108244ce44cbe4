// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pile: stacks of boxes in ODE that fall onto the ground and onto each other. For the benchmark and
// the tests; needs libode.
#pragma once

#include <ode/ode.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace bench::ode {

struct PileShape {
  int stacks = 64;
  int height = 12;
  // The iterations of dWorldQuickStep; from the 9th on, the result depends on the order of the
  // islands in time.
  int iterations = 8;
};

enum class Method : std::uint8_t { kQuick, kExact };

class Pile {
 public:
  explicit Pile(const PileShape& shape);
  ~Pile();
  Pile(const Pile&) = delete;
  Pile& operator=(const Pile&) = delete;

  dWorldID world() const { return world_; }
  const std::vector<dBodyID>& boxes() const { return boxes_; }

  // Finds the contacts of the boxes in a fixed order. ODE reports pairs in the order of their last
  // move, and would process contacts in that order.
  void collide();
  // Moves the boxes by 10 ms. Returns false, and moves nothing, if ODE fails.
  [[nodiscard]] bool step(Method method = Method::kQuick);
  // Removes the contacts after a step.
  void drop_contacts() { dJointGroupEmpty(contacts_); }

  // Returns a hash of all positions, orientations and velocities, bit by bit.
  std::uint64_t state() const;
  // Returns true if every box has a plausible position: above the ground and not thrown away.
  bool is_sane() const;

 private:
  static void note_pair(void* pile, dGeomID a, dGeomID b);

  dWorldID world_;
  dSpaceID space_;
  dJointGroupID contacts_;
  std::vector<dBodyID> boxes_;
  std::vector<std::pair<dGeomID, dGeomID>> pairs_;
};

}  // namespace bench::ode
