// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The bake of each vertex; bake.hpp describes the result.
#include "samples/aobake/bake.hpp"

#include <cmath>
#include <numbers>

#include "jobs/jobs.hpp"
#include "samples/frames/sampler.hpp"

namespace aobake {
namespace {

constexpr std::uint32_t kFewRays = 16;
constexpr std::uint32_t kManyRays = 256;
// In units of the mesh's height; farther surfaces do not count.
constexpr float kReach = 0.5f;
// Distance of a ray's origin from the surface, so that the ray does not hit it.
constexpr float kOffset = 1e-3f;

Openness openness_at(std::uint32_t vertex, const frames::Mesh& mesh, const frames::Scene& scene) {
  const frames::Frame frame(mesh.normals[vertex]);
  const frames::Vec3 origin = mesh.positions[vertex] + frame.normal * kOffset;
  // Points of the unit disc, lifted onto the hemisphere. This gives more points where the cosine is
  // large (Malley's method).
  const auto is_open = [&](std::uint32_t ray) {
    frames::Sampler sampler(static_cast<int>(vertex), 0, static_cast<int>(ray));
    const auto [u, v] = sampler.next_pair();
    const float radius = std::sqrt(u);
    const float angle = 2 * std::numbers::pi_v<float> * v;
    const frames::Vec3 local{radius * std::cos(angle), radius * std::sin(angle), std::sqrt(1 - u)};
    return !scene.is_occluded({origin, frame.to_world(local)}, kReach);
  };
  std::uint32_t rays = 0, open = 0;
  const auto shoot = [&](std::uint32_t until) {
    for (; rays < until; ++rays) open += is_open(rays) ? 1 : 0;
  };
  shoot(kFewRays);
  if (open != 0 && open != rays) shoot(kManyRays);
  return {static_cast<float>(open) / static_cast<float>(rays), rays};
}

}  // namespace

std::vector<Openness> bake(const frames::Mesh& mesh, const frames::Scene& scene) {
  const auto vertices = static_cast<std::uint32_t>(mesh.positions.size());
  std::vector<Openness> result(vertices);
  jobs::parallel_for(0u, vertices, [&](std::uint32_t vertex) {
    result[vertex] = openness_at(vertex, mesh, scene);
  });
  return result;
}

std::vector<Openness> bake_serial(const frames::Mesh& mesh, const frames::Scene& scene) {
  std::vector<Openness> result;
  for (std::uint32_t vertex = 0; vertex < mesh.positions.size(); ++vertex) {
    result.push_back(openness_at(vertex, mesh, scene));
  }
  return result;
}

}  // namespace aobake
