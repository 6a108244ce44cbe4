// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// aobake: bakes ambient occlusion into the vertices of a mesh.
//
//   aobake bunny bunny.ply        # a mesh of glmark2-data, an OBJ file, or "procedural"
//
// Bakes in parallel and serially, and compares the results. Workers: JOBS_NUM_WORKERS. Exit status:
// 0; 2 for an error that the user can correct, with one line of explanation; 1 for all other
// errors.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <string>

#include "jobs/jobs.hpp"
#include "samples/aobake/bake.hpp"
#include "samples/frames/user_error.hpp"

namespace {

using frames::UserError;

template <class F>
double seconds(F f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Writes a PLY file with grey vertices.
void write_ply(std::ostream& out, const frames::Mesh& mesh,
               const std::vector<aobake::Openness>& openness) {
  out << "ply\nformat ascii 1.0\nelement vertex " << mesh.positions.size()
      << "\nproperty float x\nproperty float y\nproperty float z\n"
         "property uchar red\nproperty uchar green\nproperty uchar blue\nelement face "
      << mesh.triangles.size() << "\nproperty list uchar uint vertex_indices\nend_header\n";
  for (std::size_t i = 0; i < openness.size(); ++i) {
    const auto [x, y, z] = mesh.positions[i];
    const int grey = static_cast<int>(openness[i].value * 255 + 0.5f);
    out << x << ' ' << y << ' ' << z << ' ' << grey << ' ' << grey << ' ' << grey << '\n';
  }
  for (const auto& [a, b, c] : mesh.triangles) out << "3 " << a << ' ' << b << ' ' << c << '\n';
}

void bake_and_compare(const std::string& name, const std::string& path) {
  const frames::Mesh mesh = frames::load_mesh(name);
  std::ofstream out(path, std::ios::binary);
  if (!out) throw UserError("cannot write '" + path + "'");
  frames::Scene scene(mesh);
  scene.commit();

  std::vector<aobake::Openness> parallel, serial;
  const double parallel_time = seconds([&] { parallel = aobake::bake(mesh, scene); });
  const double serial_time = seconds([&] { serial = aobake::bake_serial(mesh, scene); });
  const auto rays =
      std::accumulate(parallel.begin(), parallel.end(), std::uint64_t{0},
                      [](std::uint64_t sum, const auto& vertex) { return sum + vertex.rays; });
  std::printf("%zu vertices, %.1f rays each; %u workers %.3f s, serially %.3f s\n", parallel.size(),
              static_cast<double>(rays) / static_cast<double>(parallel.size()),
              jobs::worker_count(), parallel_time, serial_time);
  if (parallel != serial) throw std::runtime_error("the results differ");
  write_ply(out, mesh, parallel);
  if (!out.flush()) throw UserError("cannot write all of '" + path + "'");
  std::printf("both are equal; wrote %s\n", path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 3) throw UserError("usage: aobake MESH FILE.ply");
    bake_and_compare(argv[1], argv[2]);
    return 0;
  } catch (const UserError& error) {
    std::fprintf(stderr, "aobake: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aobake: %s\n", error.what());
    return 1;
  }
}
