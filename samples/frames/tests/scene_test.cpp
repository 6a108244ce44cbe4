// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Hits do not depend on the threads that built the acceleration structure, even where triangles
// meet or coincide.
#include "samples/frames/scene.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <thread>
#include <vector>

#include "samples/frames/sampler.hpp"

namespace frames {
namespace {

std::array<std::uint32_t, 4> bits(const std::optional<MeshHit>& hit) {
  if (!hit) return {};
  return {std::bit_cast<std::uint32_t>(hit->distance),
          std::bit_cast<std::uint32_t>(hit->smooth_normal.x),
          std::bit_cast<std::uint32_t>(hit->smooth_normal.y),
          std::bit_cast<std::uint32_t>(hit->face_normal.z)};
}

void join_from(unsigned thread_count, Scene& scene) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < thread_count; ++i) threads.emplace_back([&] { scene.join_commit(); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Scene, OfCoincidingTrianglesTheFirstIsHit) {
  constexpr std::uint32_t kCopies = 1000;
  Mesh mesh;
  for (std::uint32_t i = 0; i < kCopies; ++i) {
    mesh.positions.insert(mesh.positions.end(), {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}});
    // Their normals distinguish them.
    mesh.normals.insert(mesh.normals.end(), 3, normalized({static_cast<float>(i), 0, 1000}));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  Scene scene(mesh);
  scene.commit();
  for (int sample = 0; sample < 100; ++sample) {
    const Pair at = Sampler(0, 0, sample).next_pair();
    const auto hit = scene.closest_hit({{at.u / 2, at.v / 2, 1}, {0, 0, -1}}, 10);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->smooth_normal.x, 0);
  }
}

TEST(Scene, AnswersAreTheSameHoweverManyThreadsBuiltIt) {
  const Mesh mesh = load_mesh("procedural");
  Scene alone(mesh);
  alone.commit();
  Scene together(mesh);
  join_from(4, together);
  for (int sample = 0; sample < 100'000; ++sample) {
    // From a vertex outwards and back: most rays meet the six triangles around it.
    Sampler sampler(0, 0, sample);
    const auto vertex =
        static_cast<std::size_t>(sampler.next() * static_cast<float>(mesh.positions.size()));
    const Pair to = sampler.next_pair();
    const Vec3 eye =
        mesh.positions[vertex] + mesh.normals[vertex] * 0.5f + Vec3{to.u - 0.5f, 0, to.v - 0.5f};
    const Ray ray{eye, normalized(mesh.positions[vertex] - eye)};
    ASSERT_EQ(bits(alone.closest_hit(ray, 10)), bits(together.closest_hit(ray, 10)))
        << "sample " << sample;
  }
}

Mesh upright_triangle() {
  Mesh mesh;
  mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
  mesh.normals.assign(3, {0, 0, 1});
  mesh.triangles = {{0, 1, 2}};
  return mesh;
}

TEST(Scene, SeesNothingBeyondTheGivenDistance) {
  const Mesh mesh = upright_triangle();
  Scene scene(mesh);
  scene.commit();
  const Ray ray{{0, 0, 2}, {0, 0, -1}};
  EXPECT_FALSE(scene.closest_hit(ray, 1.9f));
  EXPECT_FALSE(scene.is_occluded(ray, 1.9f));
  EXPECT_TRUE(scene.is_occluded(ray, 2.1f));
  const auto hit = scene.closest_hit(ray, 2.1f);
  ASSERT_TRUE(hit);
  EXPECT_FLOAT_EQ(hit->distance, 2);
  EXPECT_EQ(hit->face_normal.z, 1);
}

// One upright triangle, and two lying ones in the same place: a ray hits the first of these two.
TEST(Scene, AModelIsHitWhereItsInstancesAre) {
  const Mesh model_mesh = upright_triangle();
  Scene model(model_mesh);
  model.commit();

  constexpr std::array<Vec3, 3> kUpright = {Vec3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  constexpr std::array<Vec3, 3> kLying = {Vec3{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};  // z becomes y
  Mesh all;
  std::vector<Scene::Instance> instances;
  const auto add = [&](const std::array<Vec3, 3>& rotation, Vec3 position, Vec3 normal) {
    const auto first = static_cast<std::uint32_t>(all.positions.size());
    for (const Vec3 v : model_mesh.positions)
      all.positions.push_back(position +
                              Vec3{dot(rotation[0], v), dot(rotation[1], v), dot(rotation[2], v)});
    all.normals.insert(all.normals.end(), 3, normal);
    instances.push_back(
        {model, rotation, position, static_cast<std::uint32_t>(all.triangles.size())});
    all.triangles.push_back({first, first + 1, first + 2});
  };
  add(kUpright, {5, 0, 1}, {0, 0, 1});
  add(kLying, {0, 3, 0}, {0, 1, 0});
  add(kLying, {0, 3, 0}, normalized({1, 1, 0}));
  Scene scene(all, instances);
  scene.commit();

  const auto upright = scene.closest_hit({{5, 0, 3}, {0, 0, -1}}, 10);
  ASSERT_TRUE(upright);
  EXPECT_FLOAT_EQ(upright->distance, 2);
  EXPECT_EQ(upright->face_normal.z, 1);
  const auto lying = scene.closest_hit({{0, 7, 0}, {0, -1, 0}}, 10);
  ASSERT_TRUE(lying);
  EXPECT_FLOAT_EQ(lying->distance, 4);
  EXPECT_EQ(lying->face_normal.y, 1);
  EXPECT_EQ(lying->smooth_normal.x, 0);
  EXPECT_TRUE(scene.is_occluded({{0, 7, 0}, {0, -1, 0}}, 10));
  EXPECT_FALSE(scene.closest_hit({{0, 0, 3}, {0, 0, -1}}, 10));
}

}  // namespace
}  // namespace frames
