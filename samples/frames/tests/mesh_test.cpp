// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// A loaded mesh stands on the stage with usable normals; a broken mesh is refused. errors.cmake
// checks the messages.
#include "samples/frames/mesh.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "samples/frames/user_error.hpp"

namespace frames {
namespace {

TEST(Mesh, StandsOnTheFloorInTheMiddleAndFitsTheStage) {
  const Mesh mesh = load_mesh("procedural");
  Vec3 low = mesh.positions.front();
  Vec3 high = low;
  for (const Vec3 position : mesh.positions) {
    low = min(low, position);
    high = max(high, position);
  }
  EXPECT_FLOAT_EQ(low.y, 0);
  EXPECT_NEAR(low.x + high.x, 0, 1e-5);
  EXPECT_NEAR(low.z + high.z, 0, 1e-5);
  EXPECT_LE(high.y, 1.001f);
  EXPECT_LE(high.x, 0.621f);
}

TEST(Mesh, NormalsAreUnitVectors) {
  const Mesh mesh = load_mesh("procedural");
  ASSERT_EQ(mesh.normals.size(), mesh.positions.size());
  for (const Vec3 normal : mesh.normals) ASSERT_NEAR(length(normal), 1, 1e-5);
}

TEST(Mesh, KnotIsClosedAndOrientedAlike) {
  const Mesh mesh = make_knot();
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const Triangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
  }
  for (const auto& [edge, uses] : edges) {
    ASSERT_EQ(uses, 1);
    ASSERT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

TEST(Mesh, SliversAreDroppedAndStrayVerticesDoNotCount) {
  Mesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {500, 500, 500}};
  mesh.triangles = {{0, 1, 2}, {1, 1, 2}, {0, 0, 0}};
  place_on_stage(mesh);
  EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
  EXPECT_FLOAT_EQ(mesh.positions[2].y, 1);
}

TEST(Mesh, OnePointThreeTimesIsNoTriangle) {
  Mesh mesh;
  mesh.positions = {{2, 2, 2}};
  mesh.triangles = {{0, 0, 0}};
  place_on_stage(mesh);
  EXPECT_TRUE(mesh.triangles.empty());
}

TEST(Mesh, UnknownNameIsTheUsersError) {
  EXPECT_THROW((void)load_mesh("no-such-animal"), UserError);
}

}  // namespace
}  // namespace frames
