// SPDX-FileCopyrightText: 2026 the jobs authors
// SPDX-License-Identifier: Apache-2.0
//
// The adapter for an engine that starts tasks by one function and waits for them by another one
// (physics.hpp). The program compares steps on jobs with serial steps.
#include <atomic>
#include <iostream>
#include <memory>

#include "jobs/jobs.hpp"
#include "samples/adapters/physics.hpp"

namespace {

// The host of a world that one thread steps.
class PhysicsTasks {
 public:
  physics::Host host() {
    // One index for each worker, and one for the thread that steps if it is no worker.
    return {jobs::worker_count() + 1, &enqueue, &finish, this};
  }

 private:
  static void* enqueue(physics::Task* task, int count, int min_items, void* context, void* user) {
    auto& self = *static_cast<PhysicsTasks*>(user);
    auto done = std::make_unique<jobs::Counter>();
    jobs::spawn(*done, [=, &self] {
      const auto part = [=, &self](int begin, int end) {
        task(begin, end, self.index_.local(), context);
      };
      jobs::parallel_for(0, count, part, jobs::Grain(static_cast<std::size_t>(min_items)));
    });
    return done.release();
  }
  static void finish(void* handle, void*) {
    const std::unique_ptr<jobs::Counter> done(static_cast<jobs::Counter*>(handle));
    done->wait();
  }

  std::atomic<unsigned> indices_{0};
  jobs::PerWorker<unsigned> index_{[this] { return indices_++; }};
};

std::int64_t step_by(const physics::Host& host) {
  physics::World world(20'000, host);
  for (int i = 0; i < 50; ++i) world.step();
  return world.overlaps();
}

physics::Host serial_host() {
  return {1,
          [](physics::Task* task, int count, int, void* context, void*) -> void* {
            task(0, count, 0, context);
            return nullptr;
          },
          [](void*, void*) {}, nullptr};
}

}  // namespace

int main() {
  PhysicsTasks tasks;
  const std::int64_t serial = step_by(serial_host());
  const std::int64_t parallel = step_by(tasks.host());
  std::int64_t in_a_job = 0;
  jobs::Counter done;
  jobs::spawn(done, [&] {
    PhysicsTasks own;
    in_a_job = step_by(own.host());
  });
  done.wait();
  std::cout << "overlaps: " << serial << " serially, " << parallel << " by jobs, " << in_a_job
            << " in a job\n";
  return serial != 0 && serial == parallel && serial == in_a_job ? 0 : 1;
}
