// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The world of ODE: a space, a floor and boxes.
#include "samples/tumble/bodies.hpp"

#include <ode/ode.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>

#include "jobs/algorithm/random_at.hpp"
#include "jobs/interop/ode.hpp"

namespace tumble {
namespace {

constexpr int kStepsPerFrame = 8;
// 30 frames per second, a little slower than reality.
constexpr double kStep = 1.0 / 30 / kStepsPerFrame / 1.5;
constexpr int kIterations = 8;
constexpr int kInRow = 4;

// ODE's global state.
struct Library {
  Library() { dInitODE2(0); }
  ~Library() { dCloseODE(); }
};

std::uintptr_t number_of(dGeomID geom) {
  return reinterpret_cast<std::uintptr_t>(dGeomGetData(geom));
}

}  // namespace

struct Bodies::World {
  World() {
    static const Library library;
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    contacts = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, -9.81, 0);
    dWorldSetCFM(world, 1e-5);
    dWorldSetERP(world, 0.3);
    dWorldSetQuickStepNumIterations(world, kIterations);
    dWorldSetContactSurfaceLayer(world, 0.001);
    dGeomSetData(dCreatePlane(space, 0, 1, 0, 0), nullptr);
  }
  ~World() {
    threading.reset();
    dJointGroupDestroy(contacts);
    dSpaceDestroy(space);
    dWorldDestroy(world);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void collide() {
    dAllocateODEDataForThread(static_cast<unsigned>(dAllocateMaskAll));
    pairs.clear();
    dSpaceCollide(space, this, [](void* self, dGeomID a, dGeomID b) {
      if (number_of(b) < number_of(a)) std::swap(a, b);
      static_cast<World*>(self)->pairs.emplace_back(a, b);
    });
    // ODE finds contacts in the order in which the bodies moved. With workers, this order is
    // random.
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return std::pair(number_of(a.first), number_of(a.second)) <
             std::pair(number_of(b.first), number_of(b.second));
    });
    for (const auto& [a, b] : pairs) {
      std::array<dContact, 8> found;
      const int count =
          dCollide(a, b, static_cast<int>(found.size()), &found[0].geom, sizeof(dContact));
      for (dContact& contact : std::span(found).first(static_cast<std::size_t>(count))) {
        contact.surface.mode = dContactBounce;
        contact.surface.mu = 0.6;
        contact.surface.bounce = 0.25;
        contact.surface.bounce_vel = 0.05;
        dJointAttach(dJointCreateContact(world, contacts, &contact), dGeomGetBody(a),
                     dGeomGetBody(b));
      }
    }
  }

  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts;
  std::vector<dBodyID> bodies;
  std::vector<std::pair<dGeomID, dGeomID>> pairs;
  std::optional<jobs::interop::OdeThreading> threading;
};

Bodies::Bodies(int count, frames::Vec3 size, Stepped stepped) : world_(std::make_unique<World>()) {
  World& w = *world_;
  dMass mass;
  dMassSetBox(&mass, 1, size.x, size.y, size.z);
  const double between = 1.3 * frames::largest(size);
  const jobs::RandomAt random(2026);
  std::uint64_t drawn = 0;
  const auto next = [&] { return random.real(drawn++) - 0.5; };
  for (int i = 0; i < count; ++i) {
    const dBodyID body = dBodyCreate(w.world);
    dBodySetMass(body, &mass);
    const int column = i % (kInRow * kInRow);
    const int layer = i / (kInRow * kInRow);
    dBodySetPosition(body, between * (column % kInRow - 0.5 * (kInRow - 1) + 0.2 * next()),
                     between * (layer + 1.2),
                     between * (column / kInRow - 0.5 * (kInRow - 1) + 0.2 * next()));
    dMatrix3 rotation;
    dRFromAxisAndAngle(rotation, next(), next(), next(), 6 * next());
    dBodySetRotation(body, rotation);
    const dGeomID box = dCreateBox(w.space, size.x, size.y, size.z);
    dGeomSetBody(box, body);
    w.bodies.push_back(body);
    dGeomSetData(box, reinterpret_cast<void*>(w.bodies.size()));
  }
  if (stepped == Stepped::kByWorkers) w.threading.emplace(w.world);
}

Bodies::~Bodies() = default;

void Bodies::advance() {
  for (int i = 0; i < kStepsPerFrame; ++i) {
    world_->collide();
    const bool has_stepped = dWorldQuickStep(world_->world, kStep) != 0;
    dJointGroupEmpty(world_->contacts);
    if (!has_stepped) throw std::runtime_error("ODE cannot step the world");
  }
}

void Bodies::read(std::vector<Pose>& poses) const {
  const auto vec = [](const dReal* at) {
    return frames::Vec3{static_cast<float>(at[0]), static_cast<float>(at[1]),
                        static_cast<float>(at[2])};
  };
  for (std::size_t i = 0; i < poses.size(); ++i) {
    // Each row has four numbers.
    const dReal* const rows = dBodyGetRotation(world_->bodies[i]);
    poses[i] = {vec(dBodyGetPosition(world_->bodies[i])),
                {vec(rows), vec(rows + 4), vec(rows + 8)}};
  }
}

}  // namespace tumble
