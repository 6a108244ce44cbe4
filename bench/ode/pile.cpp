// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
// The world of ODE: boxes, contacts and steps.
#include "bench/ode/pile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <span>

namespace bench::ode {
namespace {

// ODE's global state, from the first pile to the end of the program.
struct Library {
  Library() {
    dInitODE2(0);
    // For boxes that stand exactly on each other, dWorldStep prints in each step that their rows
    // depend on each other.
    dSetMessageHandler([](int, const char*, va_list) {});
  }
  ~Library() { dCloseODE(); }
};

constexpr double kStep = 0.01;
// The number of stacks in a row.
constexpr int kInRow = 8;
// The distance of stacks; boxes have an edge of 1.
constexpr double kBetween = 3;
constexpr std::uintptr_t kGround = 0;

std::uintptr_t number_of(dGeomID geom) {
  return reinterpret_cast<std::uintptr_t>(dGeomGetData(geom));
}

}  // namespace

Pile::Pile(const PileShape& shape) {
  static const Library library;
  dRandSetSeed(1);
  world_ = dWorldCreate();
  space_ = dHashSpaceCreate(nullptr);
  contacts_ = dJointGroupCreate(0);
  dWorldSetGravity(world_, 0, 0, -9.81);
  dWorldSetCFM(world_, 1e-5);
  dWorldSetERP(world_, 0.2);
  dWorldSetQuickStepNumIterations(world_, shape.iterations);
  dGeomSetData(dCreatePlane(space_, 0, 0, 1, 0), reinterpret_cast<void*>(kGround));
  dMass mass;
  dMassSetBox(&mass, 1, 1, 1, 1);
  for (int stack = 0; stack < shape.stacks; ++stack) {
    for (int level = 0; level < shape.height; ++level) {
      const dBodyID body = dBodyCreate(world_);
      dBodySetMass(body, &mass);
      // With a small offset, so that the boxes turn.
      dBodySetPosition(body, stack % kInRow * kBetween + 0.02 * (level % 3),
                       stack / kInRow * kBetween + 0.03 * (level % 2), 0.6 + level * 1.05);
      const dGeomID box = dCreateBox(space_, 1, 1, 1);
      dGeomSetBody(box, body);
      boxes_.push_back(body);
      dGeomSetData(box, reinterpret_cast<void*>(boxes_.size()));
    }
  }
}

Pile::~Pile() {
  dJointGroupDestroy(contacts_);
  dSpaceDestroy(space_);
  dWorldDestroy(world_);
}

void Pile::note_pair(void* pile, dGeomID a, dGeomID b) {
  if (number_of(b) < number_of(a)) std::swap(a, b);
  static_cast<Pile*>(pile)->pairs_.emplace_back(a, b);
}

void Pile::collide() {
  dAllocateODEDataForThread(static_cast<unsigned>(dAllocateMaskAll));
  pairs_.clear();
  dSpaceCollide(space_, this, &note_pair);
  std::sort(pairs_.begin(), pairs_.end(), [](const auto& a, const auto& b) {
    return std::pair(number_of(a.first), number_of(a.second)) <
           std::pair(number_of(b.first), number_of(b.second));
  });
  for (const auto& [a, b] : pairs_) {
    std::array<dContact, 8> found;
    const int count =
        dCollide(a, b, static_cast<int>(found.size()), &found[0].geom, sizeof(dContact));
    for (dContact& contact : std::span(found).first(static_cast<std::size_t>(count))) {
      contact.surface.mode = dContactBounce;
      contact.surface.mu = 0.5;
      contact.surface.bounce = 0.1;
      contact.surface.bounce_vel = 0.1;
      dJointAttach(dJointCreateContact(world_, contacts_, &contact), dGeomGetBody(a),
                   dGeomGetBody(b));
    }
  }
}

bool Pile::step(Method method) {
  return (method == Method::kQuick ? dWorldQuickStep(world_, kStep) : dWorldStep(world_, kStep)) !=
         0;
}

std::uint64_t Pile::state() const {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a, a word at a time
  const auto add = [&hash](const dReal* values, int count) {
    for (int i = 0; i < count; ++i) {
      std::uint64_t bits;
      static_assert(sizeof bits == sizeof *values);
      std::memcpy(&bits, values + i, sizeof bits);
      hash = (hash ^ bits) * 1099511628211U;
    }
  };
  for (const dBodyID box : boxes_) {
    add(dBodyGetPosition(box), 3);
    add(dBodyGetQuaternion(box), 4);
    add(dBodyGetLinearVel(box), 3);
    add(dBodyGetAngularVel(box), 3);
  }
  return hash;
}

bool Pile::is_sane() const {
  return std::all_of(boxes_.begin(), boxes_.end(), [](dBodyID box) {
    const dReal* const at = dBodyGetPosition(box);
    const dReal* const speed = dBodyGetLinearVel(box);
    return at[2] > 0 && at[2] < 100 && std::abs(at[0]) < 100 && std::abs(at[1]) < 100 &&
           std::abs(speed[2]) < 50;
  });
}

}  // namespace bench::ode
