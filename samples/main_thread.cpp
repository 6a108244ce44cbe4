// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The main loop of an engine. Only the main thread may use the device, and no long work may run
// there. The other workers decode meshes. The main thread uploads them, between the frames and
// while it waits for a frame.
#include <cstddef>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "jobs/jobs.hpp"

namespace {

// Stands for a window or a graphics context: only its creating thread may use it.
class Device {
 public:
  void upload(long mesh) {
    expect_owner();
    uploaded_ += mesh;
    ++uploads_;
  }
  void draw() {
    expect_owner();
    ++frames_;
  }
  int uploads() const { return uploads_; }
  int frames() const { return frames_; }
  long uploaded() const { return uploaded_; }

 private:
  void expect_owner() const {
    if (std::this_thread::get_id() != owner_)
      throw std::logic_error("the device is used by another thread");
  }

  const std::thread::id owner_ = std::this_thread::get_id();
  int uploads_ = 0;
  int frames_ = 0;
  long uploaded_ = 0;
};

long decode(int mesh) {
  std::vector<long> vertices(20'000);
  std::iota(vertices.begin(), vertices.end(), mesh);
  return std::accumulate(vertices.begin(), vertices.end(), 0L);
}

}  // namespace

int main() {
  constexpr int kMeshes = 200;
  jobs::Scheduler scheduler({.bind_caller = true});  // this thread is the main thread
  Device device;

  jobs::Counter loading;
  for (int mesh = 0; mesh < kMeshes; ++mesh) {
    jobs::spawn(loading,
                [&, mesh] {
                  const long decoded = decode(mesh);
                  jobs::spawn(loading, [&device, decoded] { device.upload(decoded); },
                              {.on = jobs::main_thread});
                },
                {.on = jobs::not_main_thread});
  }

  std::vector<int> heights(10'000, 1'000'000);
  jobs::TaskGraph frame;
  const auto fall =
      frame.node([&] { jobs::parallel_for(heights, [](int& height) { height -= 9; }); }, "fall");
  const auto draw = frame.node([&] { device.draw(); }, "draw");
  fall.on(jobs::not_main_thread).precede(draw);
  draw.on(jobs::main_thread);

  while (device.frames() < 60 || device.uploads() < kMeshes) {
    scheduler.run_main_thread_jobs();  // jobs that have arrived since the last frame
    frame.run();                       // and jobs that arrive while this thread waits
  }
  loading.wait();

  long expected = 0;
  for (int mesh = 0; mesh < kMeshes; ++mesh) expected += decode(mesh);
  std::cout << device.uploads() << " meshes in " << device.frames() << " frames\n";
  return device.uploads() == kMeshes && device.uploaded() == expected ? 0 : 1;
}
