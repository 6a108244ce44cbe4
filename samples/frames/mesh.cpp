// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Loading of a mesh: finds the file, reads it by tinyobjloader, and validates its result
// completely.
#include "samples/frames/mesh.hpp"

#include <tiny_obj_loader.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "samples/frames/user_error.hpp"

namespace frames {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelFolder = "/usr/share/glmark2/models";
constexpr float kStageHeight = 1.0f;
constexpr float kStageRadius = 0.62f;
// Thinner triangles have no direction.
constexpr float kSliver = 1e-12f;

bool is_file(const fs::path& path) {
  std::error_code unreadable;
  return fs::is_regular_file(path, unreadable);
}

fs::path find_file(const std::string& name) {
  if (is_file(name)) return name;
  const bool is_short = name.find_first_of("./") == std::string::npos;
  if (!is_short) throw UserError("no mesh file '" + name + "'");
  const fs::path known = fs::path(kModelFolder) / (name + ".obj");
  if (is_file(known)) return known;
  throw UserError("no mesh '" + name + "' in " + kModelFolder +
                  " (install glmark2-data, or use --mesh procedural)");
}

// tinyobjloader reports each problem in a line of its own; this program prints the first one.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Returns twice the area, in the direction of the normal.
Vec3 area_vector(const Mesh& mesh, const Triangle& t) {
  const Vec3 a = mesh.positions[t[0]];
  return cross(mesh.positions[t[1]] - a, mesh.positions[t[2]] - a);
}

Mesh read_obj(const fs::path& file) {
  tinyobj::ObjReader reader;
  if (!reader.ParseFromFile(file.string())) {
    throw UserError("mesh '" + file.string() + "' is broken: " + first_line(reader.Error()));
  }
  const std::vector<float>& xyz = reader.GetAttrib().vertices;
  const auto broken = [&](const std::string& why) {
    return UserError("mesh '" + file.string() + "' is broken: " + why);
  };

  Mesh mesh;
  for (std::size_t i = 0; i + 2 < xyz.size(); i += 3) {
    mesh.positions.push_back({xyz[i], xyz[i + 1], xyz[i + 2]});
    if (!std::isfinite(length(mesh.positions.back())))
      throw broken("a vertex is not a finite point");
  }
  for (const tinyobj::shape_t& shape : reader.GetShapes()) {
    const std::vector<tinyobj::index_t>& corners = shape.mesh.indices;
    for (std::size_t i = 0; i + 2 < corners.size(); i += 3) {
      Triangle triangle;
      for (std::size_t c = 0; c < 3; ++c) {
        const int index = corners[i + c].vertex_index;
        if (index < 0 || static_cast<std::size_t>(index) >= mesh.positions.size()) {
          throw broken("a face names a vertex that does not exist");
        }
        triangle[c] = static_cast<std::uint32_t>(index);
      }
      mesh.triangles.push_back(triangle);
    }
  }
  return mesh;
}

}  // namespace

Mesh load_mesh(const std::string& name) {
  Mesh mesh = name == "procedural" ? make_knot() : read_obj(find_file(name));
  place_on_stage(mesh);
  if (mesh.triangles.empty()) throw UserError("mesh '" + name + "' has no triangles");
  return mesh;
}

void place_on_stage(Mesh& mesh) {
  // Only vertices of triangles count: files contain stray vertices.
  constexpr float kFar = std::numeric_limits<float>::max();
  Vec3 low = {kFar, kFar, kFar};
  Vec3 high = -low;
  for (const Triangle& triangle : mesh.triangles) {
    for (const std::uint32_t corner : triangle) {
      low = min(low, mesh.positions[corner]);
      high = max(high, mesh.positions[corner]);
    }
  }
  const Vec3 extent = high - low;
  const float size =
      std::max(extent.y / kStageHeight, std::max(extent.x, extent.z) / 2 / kStageRadius);
  const Vec3 foot = {(low.x + high.x) / 2, low.y, (low.z + high.z) / 2};
  for (Vec3& position : mesh.positions) position = (position - foot) / size;

  // The form of the condition also drops the triangles of a mesh without extent: their areas are
  // not numbers.
  std::erase_if(mesh.triangles,
                [&](const Triangle& t) { return !(length(area_vector(mesh, t)) > kSliver); });

  mesh.normals.assign(mesh.positions.size(), Vec3{});
  for (const Triangle& t : mesh.triangles) {
    const Vec3 weighted_by_area = area_vector(mesh, t);
    for (const std::uint32_t corner : t) mesh.normals[corner] += weighted_by_area;
  }
  for (Vec3& normal : mesh.normals) {
    const float norm = length(normal);
    normal = norm > 0 ? normal / norm : Vec3{0, 1, 0};
  }
}

}  // namespace frames
