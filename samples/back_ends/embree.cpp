// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// Embree builds the acceleration structure of a scene with the workers of jobs: each job joins the
// build by rtcJoinCommitScene(). Embree's API has no other way to the threads of a program; its
// tasks stay those of oneTBB, which finds no threads of its own if it may use one thread only.
// docs/back-ends.md shows parts of it.
#include <embree3/rtcore.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iostream>
#include <iterator>
#include <string>

#include "jobs/jobs.hpp"

namespace {

// A wavy surface of 2 x side x side triangles.
RTCGeometry make_surface(RTCDevice device, unsigned side) {
  const RTCGeometry surface = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* const vertices = static_cast<float*>(
      rtcSetNewGeometryBuffer(surface, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                              3 * sizeof(float), (side + 1) * (side + 1)));
  auto* const indices = static_cast<unsigned*>(rtcSetNewGeometryBuffer(
      surface, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned), 2 * side * side));
  jobs::parallel_for(0u, side + 1, [&](unsigned y) {
    for (unsigned x = 0; x <= side; ++x) {
      float* const vertex = vertices + 3 * (y * (side + 1) + x);
      vertex[0] = static_cast<float>(x);
      vertex[1] = static_cast<float>(y);
      vertex[2] = std::sin(static_cast<float>(x)) * std::cos(static_cast<float>(y));
    }
  });
  jobs::parallel_for(0u, side, [&](unsigned y) {
    for (unsigned x = 0; x < side; ++x) {
      const unsigned corner = y * (side + 1) + x;
      unsigned* const triangles = indices + 6 * (y * side + x);
      const unsigned both[] = {corner,     corner + 1,        corner + side + 1,
                               corner + 1, corner + side + 2, corner + side + 1};
      std::copy(std::begin(both), std::end(both), triangles);
    }
  });
  rtcCommitGeometry(surface);
  return surface;
}

// As rtcCommitScene(), by all workers. Each caller returns when the scene is complete, so a worker
// that comes late only finds that there is nothing to do.
void commit(RTCScene scene) {
  jobs::Counter joined;
  for (unsigned i = 0; i < jobs::worker_count(); ++i)
    jobs::spawn(joined, [scene] { rtcJoinCommitScene(scene); });
  joined.wait();
}

// Returns whether a ray from above hits the surface.
bool is_hit(RTCScene scene, float x, float y) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit ray = {};
  ray.ray.org_x = x;
  ray.ray.org_y = y;
  ray.ray.org_z = 10;
  ray.ray.dir_z = -1;
  ray.ray.tfar = 100;
  ray.ray.mask = ~0u;
  ray.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene, &context, &ray);
  return ray.hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

}  // namespace

int main() {
  constexpr unsigned kSide = 200;
  // No threads of Embree: the workers of jobs join.
  const std::string threads = "threads=1,user_threads=" + std::to_string(jobs::worker_count());
  const RTCDevice device = rtcNewDevice(threads.c_str());
  const RTCScene scene = rtcNewScene(device);
  const RTCGeometry surface = make_surface(device, kSide);
  rtcAttachGeometry(scene, surface);
  rtcReleaseGeometry(surface);
  commit(scene);

  std::atomic<int> hits = 0;
  jobs::parallel_for(0, 1000, [&](int i) {
    const float x = 0.5f + static_cast<float>(i % 199);
    const float y = 0.25f + static_cast<float>(i % 197);
    if (is_hit(scene, x, y)) ++hits;
  });
  const RTCError error = rtcGetDeviceError(device);
  std::cout << hits << " of 1000 rays hit\n";
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  return hits == 1000 && error == RTC_ERROR_NONE ? 0 : 1;
}
