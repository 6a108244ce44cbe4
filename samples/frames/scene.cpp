// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Embree behind Scene. The picture must not depend on how many threads built the acceleration structure: see Query.
#include "samples/frames/scene.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace frames {
namespace {

// Two triangles that share an edge may be hit at distances that differ by a rounding or not at all. Which of them
// Embree reports then depends on the order of its leaves, and that on how many threads built them. So the answer is
// defined here: the smallest distance, and among equals the lowest triangle. Embree is kept looking a little beyond the
// best hit so far, by more than its roundings, so that every candidate comes by.
struct Query {
  RTCIntersectContext context;       // first: Embree hands back its address
  const Scene::Instance* instances;  // null if there are none
  float distance = std::numeric_limits<float>::infinity();
  unsigned triangle = RTC_INVALID_GEOMETRY_ID;
};

constexpr float kLookBeyond = 1 + 1e-5f;

void keep_closest(const RTCFilterFunctionNArguments* candidate) {
  auto& best = *reinterpret_cast<Query*>(candidate->context);
  float& distance = RTCRayN_tfar(candidate->ray, 1, 0);
  unsigned triangle = RTCHitN_primID(candidate->hit, 1, 0);
  if (const unsigned instance = RTCHitN_instID(candidate->hit, 1, 0, 0); instance != RTC_INVALID_GEOMETRY_ID)
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

// All seats are for those who join, or oneTBB would bring threads of its own.
std::string builders(unsigned count) {
  return "threads=" + std::to_string(count) + (count > 0 ? ",user_threads=" + std::to_string(count) : "");
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
    : mesh_(mesh), instances_(std::move(instances)), device_(instances_.front().model.device_.get()) {
  rtcRetainDevice(device_.get());
  scene_.reset(rtcNewScene(device_.get()));
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);
  for (const Instance& instance : instances_) {
    const RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_INSTANCE);
    rtcSetGeometryInstancedScene(geometry, instance.model.scene_.get());
    const auto& [x, y, z] = instance.rotation;
    const Vec3& at = instance.position;
    const std::array<float, 12> rows = {x.x, x.y, x.z, at.x, y.x, y.y, y.z, at.y, z.x, z.y, z.z, at.z};
    rtcSetGeometryTransform(geometry, 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, rows.data());
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene_.get(), geometry);
    rtcReleaseGeometry(geometry);
  }
  throw_on_error();
}

void Scene::add_triangles() {
  scene_.reset(rtcNewScene(device_.get()));
  // Robust: no ray slips through an edge, whatever the boxes around it.
  rtcSetSceneFlags(scene_.get(), RTC_SCENE_FLAG_ROBUST);

  const RTCGeometry geometry = rtcNewGeometry(device_.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
  // Copies, because Embree wants 16 readable bytes for each vertex.
  void* positions = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3),
                                            mesh_.positions.size());
  void* triangles = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, sizeof(Triangle),
                                            mesh_.triangles.size());
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
  Vec3 smooth = normalized(mesh_.normals[a] * (1 - v - w) + mesh_.normals[b] * v + mesh_.normals[c] * w);
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
