// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The implementation of Scene by Embree. The picture must not depend on the number of threads that
// built the acceleration structure; Query ensures this.
#include "samples/frames/scene.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace frames {
namespace {

// Defines the reported hit. A ray may hit two triangles with a common edge at distances that differ
// by a rounding or not at all. Embree then reports one depending on the order of its leaves, which
// depends on the number of building threads. Query reports the smallest distance, and the lowest
// triangle among equal distances. It makes Embree search slightly beyond the best hit, by more than
// its roundings, so that it sees every candidate.
struct Query {
  // The first member, because Embree returns its address.
  RTCIntersectContext context;
  const Scene::Instance* instances;  // null if there are none
  float distance = std::numeric_limits<float>::infinity();
  unsigned triangle = RTC_INVALID_GEOMETRY_ID;
};

constexpr float kLookBeyond = 1 + 1e-5f;

void keep_closest(const RTCFilterFunctionNArguments* candidate) {
  auto& best = *reinterpret_cast<Query*>(candidate->context);
  float& distance = RTCRayN_tfar(candidate->ray, 1, 0);
  unsigned triangle = RTCHitN_primID(candidate->hit, 1, 0);
  if (const unsigned instance = RTCHitN_instID(candidate->hit, 1, 0, 0);
      instance != RTC_INVALID_GEOMETRY_ID)
    triangle += best.instances[instance].first_triangle;
  if (distance < best.distance || (distance == best.distance && triangle < best.triangle)) {
    best.distance = distance;
    best.triangle = triangle;
    distance *= kLookBeyond;
  } else {
    candidate->valid[0] = 0;
  }
}

RTCRay to_embree(const Ray& ray, float max_distance) {
  RTCRay result{};
  result.org_x = ray.origin.x;
  result.org_y = ray.origin.y;
  result.org_z = ray.origin.z;
  result.dir_x = ray.direction.x;
  result.dir_y = ray.direction.y;
  result.dir_z = ray.direction.z;
  result.tfar = max_distance;
  result.mask = ~0u;
  return result;
}

// All slots belong to joining threads; otherwise oneTBB would add threads of its own.
std::string builders(unsigned count) {
  return "threads=" + std::to_string(count) +
         (count > 0 ? ",user_threads=" + std::to_string(count) : "");
}

}  // namespace

Scene::Scene(const Mesh& mesh, unsigned builder_threads)
    : mesh_(mesh), device_(rtcNewDevice(builders(builder_threads).c_str())) {
  if (!device_) throw std::runtime_error("Embree does not start");
  add_triangles();
}

Scene::Scene(const Mesh& mesh, const Scene& other) : mesh_(mesh), device_(other.device_.get()) {
  rtcRetainDevice(device_.get());
  add_triangles();
}

Scene::Scene(const Mesh& mesh, std::vector<Instance> instances)
    : mesh_(mesh),
      instances_(std::move(instances)),
      device_(instances_.front().model.device_.get()) {
  rtcRetainDevice(device_.get());
  scene_.reset(rtcNewScene(device_.get()));
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);
  for (const Instance& instance : instances_) {
    const RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(geometry, instance.model.scene_.get());
    const auto& [x, y, z] = instance.rotation;
    const Vec3& at = instance.position;
    const std::array<float, 12> rows = {x.x, x.y,  x.z, at.x, y.x, y.y,
                                        y.z, at.y, z.x, z.y,  z.z, at.z};
    rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, rows.data());
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_.get(), geometry);
    rtcReleaseGeometry(geometry);
  }
  throw_on_error();
}

void Scene::add_triangles() {
  scene_.reset(rtcNewScene(device_.get()));
  // Robust: no ray passes through an edge, with any bounding boxes.
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);

  const RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
  // Copies, because Embree reads 16 bytes for each vertex.
  void* positions = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            sizeof(Vec3), mesh_.positions.size());
  void* triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            sizeof(Triangle), mesh_.triangles.size());
  if (positions != nullptr && triangles != nullptr) {
    std::copy(mesh_.positions.begin(), mesh_.positions.end(), static_cast<Vec3*>(positions));
    std::copy(mesh_.triangles.begin(), mesh_.triangles.end(), static_cast<Triangle*>(triangles));
  }
  rtcSetGeometryIntersectFilterFunction(geometry, keep_closest);
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(scene_.get(), geometry);
  rtcReleaseGeometry(geometry);
  throw_on_error();
}

void Scene::commit() {
  rtcCommitScene(scene_.get());
  throw_on_error();
}

void Scene::join_commit() {
  rtcJoinCommitScene(scene_.get());
  throw_on_error();
}

std::optional<MeshHit> Scene::closest_hit(const Ray& ray, float max_distance) const {
  Query query{.context = {}, .instances = instances_.data()};
  rtcInitIntersectContext(&query.context);
  RTCRayHit result{to_embree(ray, max_distance), {}};
  result.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene_.get(), &query.context, &result);
  if (result.hit.geomID == RTC_INVALID_GEOMETRY_ID) return std::nullopt;

  const auto [a, b, c] = mesh_.triangles[query.triangle];
  const float v = result.hit.u;
  const float w = result.hit.v;
  const Vec3 at_a = mesh_.positions[a];
  Vec3 face = normalized(cross(mesh_.positions[b] - at_a, mesh_.positions[c] - at_a));
  Vec3 smooth =
      normalized(mesh_.normals[a] * (1 - v - w) + mesh_.normals[b] * v + mesh_.normals[c] * w);
  if (dot(face, ray.direction) > 0) face = -face;
  if (dot(face, smooth) < 0) smooth = -smooth;
  return MeshHit{query.distance, face, smooth};
}

bool Scene::is_occluded(const Ray& ray, float max_distance) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay query = to_embree(ray, max_distance);
  rtcOccluded1(scene_.get(), &context, &query);
  return query.tfar < 0;
}

void Scene::throw_on_error() const {
  if (const RTCError error = rtcGetDeviceError(device_.get()); error != RTC_ERROR_NONE) {
    throw std::runtime_error("Embree reports error " + std::to_string(error));
  }
}

}  // namespace frames
