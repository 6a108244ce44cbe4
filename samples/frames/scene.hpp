// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A mesh in Embree: the one file pair that knows Embree. Build it with commit() or join_commit(), then ask it for hits
// from any number of threads. Answers do not depend on who built it: see closest_hit() in scene.cpp.
#pragma once

#include <embree3/rtcore.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "samples/frames/mesh.hpp"

namespace frames {

struct Ray {
  Vec3 origin;
  Vec3 direction;  // a unit vector
};

struct MeshHit {
  float distance;
  Vec3 face_normal;  // of the triangle; both unit vectors, on the side from which the ray comes
  Vec3 smooth_normal;
};

class Scene {
 public:
  // `mesh` must outlive the scene. `builder_threads`: how many threads may build together, all of them callers of join_commit();
  // 0: commit() takes as many as oneTBB gives it.
  explicit Scene(const Mesh& mesh, unsigned builder_threads = 1);

  // A model that is built once and stands in many places: `other` has the device.
  Scene(const Mesh& mesh, const Scene& other);

  // A committed model where it is now: point -> rotation * point + position.
  struct Instance {
    const Scene& model;            // must outlive the scene
    std::array<Vec3, 3> rotation;  // rows
    Vec3 position;
    std::uint32_t first_triangle;  // of it in the mesh of all
  };
  // `mesh`: all instances where they are, for the surfaces that rays meet; must outlive the scene. At least one; all models on one device.
  Scene(const Mesh& mesh, std::vector<Instance> instances);

  // Builds the acceleration structure on the calling thread, and on oneTBB's if more than one builder is allowed.
  void commit();

  // The same, together with all threads that call it; each blocks until the build is done. A late caller returns at
  // once.
  void join_commit();

  [[nodiscard]] std::optional<MeshHit> closest_hit(const Ray& ray, float max_distance) const;
  [[nodiscard]] bool is_occluded(const Ray& ray, float max_distance) const;

 private:
  template <auto Release>
  struct Releaser {
    template <class T>
    void operator()(T* object) const {
      Release(object);
    }
  };

  void throw_on_error() const;

  void add_triangles();

  const Mesh& mesh_;
  std::vector<Instance> instances_;
  std::unique_ptr<RTCDeviceTy, Releaser<rtcReleaseDevice>> device_;
  std::unique_ptr<RTCSceneTy, Releaser<rtcReleaseScene>> scene_;
};

}  // namespace frames
