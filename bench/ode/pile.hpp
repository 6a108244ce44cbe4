// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Pile: stacks of boxes that fall onto the ground and onto each other, in ODE. For the benchmark and the tests; needs libode.
#pragma once

#include <ode/ode.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace bench::ode {

struct PileShape {
  int stacks = 64;
  int height = 12;
  // Of dWorldQuickStep; from the 9th on it depends on the order of the islands in time.
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

  // Finds the contacts of the boxes as they are, in an order that depends on nothing else: ODE reports pairs in the order in which
  // they were moved last, and would treat contacts in that order.
  void collide();
  // Moves the boxes by 10 ms. False: ODE could not, and nothing has moved.
  [[nodiscard]] bool step(Method method = Method::kQuick);
  // After a step.
  void drop_contacts() { dJointGroupEmpty(contacts_); }

  // A hash of all positions, orientations and velocities, bit by bit.
  std::uint64_t state() const;
  // Every box is where one may be: above the ground and not thrown about.
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
