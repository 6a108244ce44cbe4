// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A mesh in Embree; only scene.hpp and scene.cpp use Embree. commit() or join_commit() builds the
// scene. Then any number of threads may query hits. The answers do not depend on the building
// threads: see closest_hit() in scene.cpp.
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
  // The normal of the triangle. Both normals are unit vectors on the side of the ray's origin.
  Vec3 face_normal;
  Vec3 smooth_normal;
};

class Scene {
 public:
  // `mesh` must outlive the scene. `builder_threads` is the number of threads that build together,
  // all of them callers of join_commit(). With 0, commit() uses the threads that oneTBB gives it.
  explicit Scene(const Mesh& mesh, unsigned builder_threads = 1);

  // A model that is built once and has many instances; `other` has the device.
  Scene(const Mesh& mesh, const Scene& other);

  // A committed model at its position: point -> rotation * point + position.
  struct Instance {
    // Must outlive the scene.
    const Scene& model;
    std::array<Vec3, 3> rotation;  // rows
    Vec3 position;
    // The first triangle of the instance in the mesh of all instances.
    std::uint32_t first_triangle;
  };
  // `mesh` contains all instances at their positions, for the surfaces that rays meet. It must
  // outlive the scene. There is at least one instance, and all models are on one device.
  Scene(const Mesh& mesh, std::vector<Instance> instances);

  // Builds the acceleration structure on the calling thread, and on oneTBB's threads if more than
  // one builder is allowed.
  void commit();

  // The same, together with all threads that call it. Each blocks until the build is done. A late
  // caller returns at once.
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
